import { atOnce } from '../../core/index.js';
import { KnownCounts } from './known-counts.js';

describe('KnownCounts', () => {
  const long = 'You answer questions about orders. '.repeat(8);
  const counting = () => {
    const counted: string[] = [];
    const of = (text: string): number => {
      counted.push(text);
      return text.length;
    };
    const counts = new KnownCounts({
      of,
      *counting(text) {
        yield;
        return of(text);
      },
    });
    const count = (text: string, appId: string): number => {
      const found = counts.of(text, appId);
      return typeof found === 'number' ? found : atOnce(found);
    };
    return { counted, count };
  };

  it('counts a long text of an app once', () => {
    const { counted, count } = counting();
    expect(count(long, 'app')).toBe(long.length);
    expect(count(long, 'app')).toBe(long.length);
    expect(counted).toEqual([long]);
  });

  it('counts it again for another app, which must not learn from the duration that it was sent before', () => {
    const { counted, count } = counting();
    count(long, 'app');
    count(long, 'other');
    expect(counted).toEqual([long, long]);
  });

  it('does not confuse texts that only differ in surrogates without a pair', () => {
    const { counted, count } = counting();
    count(`${long}\ud800`, 'app');
    count(`${long}\ud801`, 'app');
    expect(counted).toEqual([`${long}\ud800`, `${long}\ud801`]);
  });
});
