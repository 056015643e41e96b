import fc from 'fast-check';
import { splitGuard } from './shared-guard.js';

describe('splitGuard', () => {
  it.each([
    ['(?<![a-z])(?<=x[)\\]|]?)\\d{3}', '(?<![a-z])(?<=x[)\\]|]?)', '\\d{3}'],
    ['(?<!a|b(?:c|d))[(|]\\d', '(?<!a|b(?:c|d))', '[(|]\\d'],
    ['\\d(?<!0)', '', '\\d(?<!0)'],
    ['(?<!a)\\d|x', '', '(?<!a)\\d|x'],
    ['(?<!(a))\\d', '', '(?<!(a))\\d'],
    ['(?<name>a)\\d', '', '(?<name>a)\\d'],
  ])('splits %s', (source, guard, rest) => {
    expect(splitGuard(source)).toEqual({ guard, rest });
  });

  it('returns two parts that together match exactly like the whole expression', () => {
    const guard = fc.constantFrom('(?<![a-z])', '(?<!\\d[-.])', '(?<=[ (]|^)', '(?<!(?:ab|-))', '');
    const rest = fc.constantFrom('\\d{1,3}', '(?:ab|\\d)-?', '[a-z]\\d(?!\\d)', '(a)(b)?');
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', '2', '-', '.', ' ', '('), maxLength: 12 });
    fc.assert(
      fc.property(guard, guard, rest, text, fc.nat(12), (one, other, body, input, place) => {
        const whole = new RegExp(one + other + body, 'y');
        const parts = splitGuard(whole.source);
        const [left, right] = [new RegExp(parts.guard, 'y'), new RegExp(parts.rest, 'y')];
        whole.lastIndex = left.lastIndex = right.lastIndex = place;
        const expected = whole.exec(input);
        const actual = left.test(input) ? right.exec(input) : null;
        expect(actual && [...actual]).toEqual(expected && [...expected]);
      }),
    );
  });
});
