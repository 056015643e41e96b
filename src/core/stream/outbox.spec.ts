import type { TextEdit } from '../text/edit.js';
import type { GuardedChannel } from './guarded-channel.js';
import { GuardedBlock, Outbox } from './outbox.js';
import type { StreamEvent } from './stream-event.js';

/** A text that counts how often it is asked how much of it is decided. */
class Asked {
  own = 0;
  asked = 0;

  get limit(): number {
    this.asked++;
    return this.own;
  }

  get decidedBy(): Asked {
    return this;
  }
}

const EVENT = {} as StreamEvent;

/** A block of a choice with a text of one character. */
function blockOf(choice: number, text: Asked): GuardedBlock {
  const block = new GuardedBlock(`block ${choice}`, [EVENT], choice, false);
  block.add({ event: EVENT, segment: 0, channel: text as unknown as GuardedChannel, start: 0, end: 1 });
  return block;
}

describe('Outbox', () => {
  it('checks each block only a few times, regardless of the number of waiting blocks', () => {
    const outbox = new Outbox();
    const texts = Array.from({ length: 1_000 }, () => new Asked());
    const blocks = texts.map((text, choice) => blockOf(choice, text));
    for (const block of blocks) outbox.add(block);
    const left = [...texts.keys()].reverse().map((choice) => {
      const text = texts[choice]!;
      text.own = 1;
      outbox.decided(text as unknown as GuardedChannel);
      return outbox.take() === blocks[choice] && outbox.take() === undefined;
    });
    expect(left.every((isIt) => isIt)).toBe(true);
    expect(Math.max(...texts.map(({ asked }) => asked))).toBeLessThan(10);
  });

  it('returns ready blocks of several choices in their original order', () => {
    const outbox = new Outbox();
    const [first, second] = [new Asked(), new Asked()];
    const blocks = [blockOf(0, first), blockOf(0, first), blockOf(1, second), blockOf(0, first)];
    for (const block of blocks) outbox.add(block);
    expect(outbox.take()).toBeUndefined();
    for (const text of [second, first]) {
      text.own = 1;
      outbox.decided(text as unknown as GuardedChannel);
    }
    expect(blocks.map(() => outbox.take())).toEqual(blocks);
  });

  it('keeps a block if its text becomes part of a longer text of which less is decided', () => {
    const outbox = new Outbox();
    const [ahead, other, whole] = [new Asked(), new Asked(), new Asked()];
    const block = blockOf(0, ahead);
    block.add({ event: EVENT, segment: 1, channel: other as unknown as GuardedChannel, start: 0, end: 1 });
    outbox.add(block);
    ahead.own = 1;
    outbox.decided(ahead as unknown as GuardedChannel);
    expect(outbox.take()).toBeUndefined();
    Object.defineProperty(ahead, 'limit', { get: () => whole.own });
    Object.defineProperty(ahead, 'decidedBy', { get: () => whole });
    outbox.decided(ahead as unknown as GuardedChannel);
    other.own = 1;
    outbox.decided(other as unknown as GuardedChannel);
    expect(outbox.take()).toBeUndefined();
    whole.own = 1;
    outbox.decided(whole as unknown as GuardedChannel);
    expect(outbox.take()).toBe(block);
  });
});

describe('A block', () => {
  const text = 'data: {"text":"ab"}\n\n';
  /** Releases a block with two characters of a text, which follow `before` others. */
  const released = (edits: readonly TextEdit[], maskedFrom: number, wasMasked: boolean, before = 0) => {
    const channel = { decidedEdits: edits, isMaskedBefore: (end: number) => maskedFrom < end };
    const event = { event: { data: '{"text":"ab"}' }, segments: [], held: [] } as unknown as StreamEvent;
    const block = new GuardedBlock(text, [event], 0, false);
    const piece = { event, segment: 0, start: before, end: before + 2 };
    block.add({ ...piece, channel: channel as unknown as GuardedChannel });
    return block.release(wasMasked);
  };
  const EDIT = { start: 0, end: 1, replacement: '*' };

  it('is forwarded unchanged if nothing in its texts was replaced', () => {
    expect(released([], Infinity, false)).toEqual({ text, isMasked: false });
    expect(released([EDIT], Infinity, false, 1)).toEqual({ text, isMasked: false });
  });

  it('counts as masked after a mask in an earlier block, or before the end of its own text', () => {
    expect(released([], Infinity, true)).toEqual({ text, isMasked: true });
    expect(released([EDIT], 0, false, 1)).toEqual({ text, isMasked: true });
    expect(released([EDIT], 5, false, 1)).toEqual({ text, isMasked: false });
  });
});
