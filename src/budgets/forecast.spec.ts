import fc from 'fast-check';
import { forecast } from './forecast.js';

const HOUR_MS = 3_600_000;
const window = { startMs: 0, endMs: 24 * HOUR_MS, stepMs: HOUR_MS, limit: 240n };

describe('The forecast of a budget', () => {
  it('continues an even pace without a margin, and says when the limit is reached', () => {
    const used = Array.from({ length: 12 }, (_, index) => BigInt(index + 1) * 15n);
    const found = forecast(used, { used: 180n, ms: 12 * HOUR_MS }, window);
    expect(found).toEqual({ atEnd: 360n, low: 360n, high: 360n, reachesLimitAtMs: 16 * HOUR_MS });
  });

  it('names no time for the limit when it is reached after the end of the window', () => {
    const used = Array.from({ length: 12 }, (_, index) => BigInt(index + 1));
    expect(forecast(used, { used: 12n, ms: 12 * HOUR_MS }, window)).toEqual({ atEnd: 24n, low: 24n, high: 24n });
  });

  it('includes the latest use, even if it is the first use, and then has a wider margin', () => {
    const found = forecast([0n, 0n, 0n, 0n, 0n, 0n], { used: 65n, ms: 6.5 * HOUR_MS }, window)!;
    expect(found.atEnd).toBe(240n);
    expect(found.low).toBeLessThan(200n);
    expect(found.high).toBeGreaterThan(280n);
  });

  it('is absent after fewer than four steps, and for a past window', () => {
    expect(forecast([1n, 2n, 3n], { used: 3n, ms: 3 * HOUR_MS }, window)).toBeUndefined();
    expect(forecast([1n, 2n, 3n, 4n], { used: 4n, ms: 24 * HOUR_MS }, window)).toBeUndefined();
  });

  it('is at least the used amount, lies within its margin, and has a wider margin for a less even pace', () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), { minLength: 4, maxLength: 23 }),
        fc.bigInt({ min: 1n, max: 10n ** 13n }),
        (added, limit) => {
          let sum = 0n;
          const used = added.map((each) => (sum += each));
          const found = forecast(used, { used: sum, ms: added.length * HOUR_MS }, { ...window, limit })!;
          expect(found.low >= sum && found.low <= found.atEnd && found.atEnd <= found.high).toBe(true);
          const isReached = found.reachesLimitAtMs !== undefined;
          if (isReached) expect(found.reachesLimitAtMs).toBeLessThan(window.endMs);
          if (found.atEnd < limit - 1n) expect(isReached).toBe(false);
          if (found.atEnd > limit + 1n) expect(isReached).toBe(true);
        },
      ),
    );
  });

  it('contains the actual result in about four of five windows', () => {
    // A fixed sequence, so that the test has the same result each time.
    let state = 42;
    const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    const windows = 500;
    let held = 0;
    for (let each = 0; each < windows; each += 1) {
      const steps = Array.from({ length: 24 }, () => BigInt(Math.round(random() * 1_000_000)));
      let sum = 0n;
      const used = steps.map((step) => (sum += step));
      const found = forecast(used.slice(0, 12), { used: used[11]!, ms: 12 * HOUR_MS }, window)!;
      if (used[23]! >= found.low && used[23]! <= found.high) held += 1;
    }
    expect(held / windows).toBeGreaterThan(0.7);
    expect(held / windows).toBeLessThan(0.9);
  });
});
