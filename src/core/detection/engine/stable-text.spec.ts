import { normalise } from './normalise.js';
import { stableLength } from './stable-text.js';

const read = (text: string): string => normalise(text)?.text ?? text;

describe('stableLength', () => {
  it.each([
    ['a letter, which a mark may join', 'ab ', 'e'],
    ['a sign that a stroke may go through', 'a ', '='],
    ['both signs of a comparison', 'a ', '>'],
  ])('holds back %s', (_what, sure, open) => {
    expect(stableLength(sure + open, {})).toBe(sure.length);
  });

  it('holds back nothing where nothing can join', () => {
    expect(stableLength('12 + 3+', {})).toBe(7);
  });

  it('tells only what reads the same with every mark behind it', () => {
    for (let unit = 0x20; unit < 0x7f; unit++) {
      for (let mark = 0x300; mark <= 0x36f; mark++) {
        const text = `-${String.fromCharCode(unit)}`;
        const sure = text.slice(0, stableLength(text, {}));
        expect(read(text + String.fromCharCode(mark)).startsWith(read(sure))).toBe(true);
      }
    }
  });
});
