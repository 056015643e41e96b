import { fixedSpan, lastSeconds, linkedTimes } from './span.ts';

const DAY_S = 86_400;
const at = (time: string) => () => Date.parse(time);

describe('A relative range', () => {
  it('moves on from minute to minute, but keeps its key', () => {
    const [one, other] = ['2026-11-29T14:02:40Z', '2026-11-29T14:03:10Z'].map((time) =>
      lastSeconds(DAY_S, undefined, at(time)),
    );
    expect(one?.times()).toEqual({ from: '2026-11-28T14:02:00.000Z' });
    expect(other?.times()).toEqual({ from: '2026-11-28T14:03:00.000Z' });
    expect(one?.key).toBe(other?.key);
    expect(one?.everyMs).toBe(60_000);
  });

  it('has another key than a range of another length', () => {
    expect(lastSeconds(DAY_S).key).not.toBe(lastSeconds(3_600).key);
  });

  it('begins at a full hour if its figures are counted by the hour', () => {
    const span = lastSeconds(DAY_S, 3_600_000, at('2026-11-29T14:59:59Z'));
    expect(span.times()).toEqual({ from: '2026-11-28T14:00:00.000Z' });
    expect(span.everyMs).toBe(3_600_000);
  });
});

describe('A link from figures to their calls', () => {
  const counted = { from: '2026-11-29T12:00:00.000Z', to: '2026-11-29T14:00:00.000Z' };

  it('begins where the figures begin, which is before the selected range, and goes on until now', () => {
    expect(linkedTimes(counted, undefined)).toEqual({ range: undefined, from: counted.from, to: undefined });
  });

  it('ends where the figures end if the selected range has an end', () => {
    expect(linkedTimes(counted, '2026-11-29T13:55:00.000Z')).toEqual({ range: undefined, ...counted });
  });
});

describe('A fixed range', () => {
  it('is loaded again only if it has no end', () => {
    const [from, to] = ['2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z'];
    expect(fixedSpan(from, to).times()).toEqual({ from, to });
    expect(fixedSpan(from, to).everyMs).toBe(false);
    expect(fixedSpan(from, undefined).everyMs).toBe(60_000);
    expect(fixedSpan(from, undefined).key).not.toBe(fixedSpan(from, to).key);
  });
});
