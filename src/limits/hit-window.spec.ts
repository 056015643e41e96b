import fc from 'fast-check';
import { countHit, SLOTS_PER_WINDOW, type HitWindow } from './hit-window.js';

interface Try {
  readonly atMs: number;
  readonly admitted: boolean;
  readonly waitMs: number;
}

/** The results of hits after pauses of these lengths. */
function play(limit: number, windowMs: number, pausesMs: readonly number[]): Try[] {
  const window: HitWindow = [];
  let atMs = 0;
  return pausesMs.map((pauseMs) => {
    atMs += pauseMs;
    const { admitted, waitMs } = countHit(window, limit, windowMs, atMs);
    return { atMs, admitted, waitMs };
  });
}

const scenario = fc.record({
  limit: fc.integer({ min: 1, max: 12 }),
  windowMs: fc.constantFrom(60, 600, 1000, 60_000),
  // In thousandths of a window: mostly short pauses, so that windows are full and hits share slots, and sometimes a long one.
  pauses: fc.array(
    fc
      .oneof(
        { weight: 9, arbitrary: fc.integer({ min: 0, max: 100 }) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: 3_000 }) },
      )
      .map((thousandths) => thousandths / 1_000),
    { maxLength: 120, size: 'max' },
  ),
});

describe('a window of hits', () => {
  it('never admits more than the limit in any span of its length', () => {
    fc.assert(
      fc.property(scenario, ({ limit, windowMs, pauses }) => {
        const tries = play(
          limit,
          windowMs,
          pauses.map((pause) => Math.round(pause * windowMs)),
        );
        const admitted = tries.filter((each) => each.admitted).map(({ atMs }) => atMs);
        for (const from of admitted) {
          expect(admitted.filter((atMs) => atMs >= from && atMs < from + windowMs).length).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });

  it('refuses only when the limit was used up within the length of a window and a slot', () => {
    fc.assert(
      fc.property(scenario, ({ limit, windowMs, pauses }) => {
        const tries = play(
          limit,
          windowMs,
          pauses.map((pause) => Math.round(pause * windowMs)),
        );
        const reachMs = windowMs + windowMs / SLOTS_PER_WINDOW;
        tries.forEach(({ atMs, admitted }, index) => {
          if (admitted) return;
          const before = tries.slice(0, index).filter((each) => each.admitted && each.atMs > atMs - reachMs);
          expect(before.length).toBeGreaterThanOrEqual(limit);
        });
      }),
    );
  });

  it('admits a hit after the reported wait, but not a millisecond earlier', () => {
    fc.assert(
      fc.property(scenario, ({ limit, windowMs, pauses }) => {
        const window: HitWindow = [];
        let atMs = 0;
        for (const pause of pauses) {
          atMs += Math.round(pause * windowMs);
          const { admitted, waitMs } = countHit(window, limit, windowMs, atMs);
          if (admitted) continue;
          expect(countHit([...window], limit, windowMs, atMs + waitMs - 1).admitted).toBe(false);
          expect(countHit([...window], limit, windowMs, atMs + waitMs).admitted).toBe(true);
        }
      }),
    );
  });

  it('keeps a bounded number of slots, whatever the limit', () => {
    const window: HitWindow = [];
    for (let atMs = 0; atMs < 10_000; atMs += 1) countHit(window, 1_000_000, 1_000, atMs);
    expect(window.length / 2).toBeLessThanOrEqual(SLOTS_PER_WINDOW + 1);
  });

  it('does not forget hits when the clock steps back', () => {
    const window: HitWindow = [];
    expect(countHit(window, 2, 1_000, 5_000).admitted).toBe(true);
    expect(countHit(window, 2, 1_000, 1_000).admitted).toBe(true);
    expect(countHit(window, 2, 1_000, 1_000).admitted).toBe(false);
  });

  it('asks for a longer wait when the limit was lowered', () => {
    const window: HitWindow = [];
    for (const atMs of [0, 100, 200]) countHit(window, 3, 1_000, atMs);
    expect(countHit(window, 1, 1_000, 300)).toEqual({ admitted: false, hits: 3, waitMs: 900 });
  });

  it('has room again for a hit that was given back, and never keeps more than the limit in any span of its length', () => {
    const steps = fc.array(
      fc.record({ pause: fc.nat({ max: 40 }), back: fc.option(fc.nat({ max: 5 }), { freq: 1 }) }),
      { maxLength: 120, size: 'max' },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.constantFrom(60, 600), steps, (limit, windowMs, all) => {
        const window: HitWindow = [];
        const kept: number[] = [];
        let nowMs = 0;
        for (const { pause, back } of all) {
          nowMs += pause;
          const countsStill = back === null ? -1 : kept.length - 1 - back;
          if (countsStill >= 0 && (kept[countsStill] ?? 0) + windowMs > nowMs) {
            kept.splice(countsStill, 1);
            countHit(window, limit, windowMs, nowMs, -1);
            expect(countHit([...window], limit, windowMs, nowMs).admitted).toBe(true);
          } else if (countHit(window, limit, windowMs, nowMs).admitted) {
            kept.push(nowMs);
          }
        }
        for (const from of kept)
          expect(kept.filter((atMs) => atMs >= from && atMs < from + windowMs).length).toBeLessThanOrEqual(limit);
      }),
    );
  });

  it('stays empty if more hits are given back than were counted', () => {
    const window: HitWindow = [];
    countHit(window, 3, 1_000, 0, 2);
    expect(countHit(window, 3, 1_000, 10, -5)).toMatchObject({ admitted: true, hits: 0 });
    expect(countHit(window, 3, 1_000, 10, 3)).toMatchObject({ admitted: true, hits: 3 });
  });

  it('counts several hits at once like the same number of successive hits, or admits none of them', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 700 }), fc.integer({ min: 1, max: 8 })), { maxLength: 40 }),
        (limit, tries) => {
          const together: HitWindow = [];
          const apart: HitWindow = [];
          let atMs = 0;
          for (const [pauseMs, hits] of tries) {
            atMs += pauseMs;
            const { admitted, hits: total } = countHit(together, limit, 600, atMs, hits);
            // Slots are aligned with the clock, so admitted hits are in the same slots of both windows.
            if (admitted) for (let hit = 0; hit < hits; hit += 1) countHit(apart, limit, 600, atMs);
            expect(total).toBeLessThanOrEqual(limit);
            if (admitted) expect(together).toEqual(apart);
          }
        },
      ),
    );
  });

  it('reports the exact wait until several hits are possible at once', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 10 }),
        (pauses, hits) => {
          const window: HitWindow = [];
          let atMs = 0;
          for (const pauseMs of pauses) countHit(window, 10, 600, (atMs += pauseMs));
          const { admitted, waitMs } = countHit(window, 10, 600, atMs, hits);
          if (admitted) return;
          expect(countHit([...window], 10, 600, atMs + waitMs - 1, hits).admitted).toBe(false);
          expect(countHit([...window], 10, 600, atMs + waitMs, hits).admitted).toBe(true);
        },
      ),
    );
  });
});
