import type { Channel } from './channels.js';
import { WaitingTexts } from './waiting-texts.js';

/** A text about the block with this index. */
const textOf = (index: number): Channel =>
  ({ scope: { index, type: '', family: { blockOf: () => 'block' } } }) as unknown as Channel;

describe('WaitingTexts', () => {
  it('returns a text once the calls that contain it, and its block, were judged', () => {
    const waiting = new WaitingTexts();
    const text = textOf(1);
    waiting.opens(text);
    waiting.opens(text);
    waiting.opens('block 1');
    waiting.add(text);
    for (const part of [text, text, 'block 1']) {
      expect(waiting.areAllWaiting).toBe(true);
      expect(waiting.readyTexts()).toEqual([]);
      waiting.closes(part);
    }
    expect(waiting.readyTexts()).toEqual([text]);
    waiting.decided();
    expect(waiting.areAllWaiting).toBe(true);
  });

  it('returns the texts in the order in which they became complete', () => {
    const waiting = new WaitingTexts();
    const texts = [textOf(1), textOf(2), textOf(3)];
    for (const text of texts) waiting.opens(text);
    for (const text of texts) waiting.add(text);
    for (const text of texts.toReversed()) waiting.closes(text);
    const ready = waiting.readyTexts();
    expect(ready).toHaveLength(texts.length);
    expect(ready.every((text, at) => text === texts[at])).toBe(true);
  });

  it('lets a text wait again if more of its call arrives before it is decided', () => {
    const waiting = new WaitingTexts();
    const [text, other] = [textOf(1), textOf(2)];
    waiting.add(text);
    waiting.add(other);
    waiting.opens(text);
    expect(waiting.readyTexts()).toEqual([other]);
    waiting.decided();
    waiting.closes(text);
    expect(waiting.readyTexts()).toEqual([text]);
  });
});
