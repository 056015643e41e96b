import fc from 'fast-check';
import { workClock } from './work-clock.js';

/** Alternating work and waiting in milliseconds, with a reading after each. */
const days = fc.array(fc.record({ workMs: fc.double({ min: 0, max: 3, noNaN: true }), waitMs: fc.nat(4) }), {
  minLength: 1,
});

describe('workClock', () => {
  it('is at most half a millisecond behind, never ahead, and never goes back', () => {
    fc.assert(
      fc.property(days, (turns) => {
        let timeMs = 0;
        let workedMs = 0;
        let lastMs = 0;
        const clock = workClock(
          () => timeMs,
          () => workedMs,
        );
        for (const { workMs, waitMs } of turns) {
          workedMs += workMs;
          timeMs += workMs + waitMs;
          const nowMs = clock();
          expect(nowMs).toBeLessThanOrEqual(workedMs);
          expect(nowMs).toBeGreaterThan(workedMs - 0.5 - 1e-9);
          expect(nowMs).toBeGreaterThanOrEqual(lastMs);
          lastMs = nowMs;
        }
      }),
    );
  });

  it('reads the work time only once while no time passes', () => {
    let asked = 0;
    const clock = workClock(
      () => 7,
      () => ++asked,
    );
    for (let times = 0; times < 60; times++) clock();
    expect(asked).toBe(1);
  });
});
