import fc from 'fast-check';
import { countHit, type HitWindow } from './hit-window.js';
import { limitInForce, mostWithin } from './own-limit.js';

const OPERATORS = { limit: 120, windowSeconds: 60 };

describe("An app's own limit", () => {
  it('replaces the limit of the operator if it is stricter', () => {
    expect(limitInForce({ count: 10, seconds: 60 }, OPERATORS)).toEqual({ limit: 10, windowSeconds: 60 });
    expect(limitInForce({ count: 100, seconds: 3_600 }, OPERATORS)).toEqual({ limit: 100, windowSeconds: 3_600 });
    expect(limitInForce({ count: 2, seconds: 1 }, OPERATORS)).toEqual({ limit: 2, windowSeconds: 1 });
    expect(limitInForce({ count: 5, seconds: 1 }, undefined)).toEqual({ limit: 5, windowSeconds: 1 });
    expect(limitInForce(undefined, OPERATORS)).toBe(OPERATORS);
    expect(limitInForce(undefined, undefined)).toBeUndefined();
  });

  it('is reduced if the operator has lowered the limit', () => {
    expect(limitInForce({ count: 500, seconds: 60 }, OPERATORS)).toEqual(OPERATORS);
    expect(limitInForce({ count: 3, seconds: 1 }, OPERATORS)).toEqual({ limit: 2, windowSeconds: 1 });
    expect(limitInForce({ count: 3, seconds: 1 }, { limit: 30, windowSeconds: 60 })).toEqual({
      limit: 30,
      windowSeconds: 60,
    });
  });

  it('never admits more than the operator allows in any span of the operator window', () => {
    const scenario = fc.record({
      operators: fc.record({ limit: fc.integer({ min: 1, max: 40 }), windowSeconds: fc.integer({ min: 1, max: 40 }) }),
      own: fc.record({ count: fc.integer({ min: 1, max: 40 }), seconds: fc.integer({ min: 1, max: 60 }) }),
      pausesMs: fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 150, size: 'max' }),
    });
    fc.assert(
      fc.property(scenario, ({ operators, own, pausesMs }) => {
        const { limit, windowSeconds } = limitInForce(own, operators)!;
        const window: HitWindow = [];
        let nowMs = 0;
        const admittedMs: number[] = [];
        for (const pauseMs of pausesMs) {
          nowMs += pauseMs;
          if (countHit(window, limit, windowSeconds * 1_000, nowMs).admitted) admittedMs.push(nowMs);
        }
        for (const fromMs of admittedMs) {
          const untilMs = fromMs + operators.windowSeconds * 1_000;
          const within = admittedMs.filter((atMs) => atMs >= fromMs && atMs < untilMs).length;
          expect(within).toBeLessThanOrEqual(operators.limit);
        }
        expect(mostWithin(operators.windowSeconds, operators)).toBe(operators.limit);
      }),
    );
  });
});
