import type { Segment } from '../model/call.js';
import type { BoundDetector } from './bind.js';
import type { Scan } from './detector.js';
import { runScan } from './run-scan.js';

const segment = (text: string, index = 0): Segment => ({
  path: `messages[${index}].content`,
  role: 'user',
  text,
  ref: index,
});

function bound(key: string, scan: Scan, timeoutMs = 1_000): BoundDetector {
  return {
    binding: { key, plugin: key, version: '1.0.0', revision: 3, options: {}, codes: ['HIT'], minScore: {}, timeoutMs },
    scan,
  };
}

const findsX: Scan = (text) =>
  [...text.matchAll(/x/g)].map((match) => ({ code: 'HIT', start: match.index, end: match.index + 1, score: 1 }));

/** A clock that a detector can advance. */
function manualClock() {
  let nowMs = 0;
  return { nowMs: () => nowMs, advance: (byMs: number) => (nowMs += byMs) };
}

describe('Scanning a call', () => {
  it('reports every finding with its segment, and does not stop at the first', async () => {
    const outcomes = await runScan([bound('letters', findsX)], [segment('x.x'), segment('none', 1), segment('x', 2)], {
      nowMs: () => 0,
      deadlineMs: 100,
    });
    expect(outcomes).toEqual([
      {
        detector: 'letters',
        plugin: 'letters',
        revision: 3,
        status: 'scanned',
        findings: [
          { detector: 'letters', segment: 0, code: 'HIT', start: 0, end: 1, score: 1 },
          { detector: 'letters', segment: 0, code: 'HIT', start: 2, end: 3, score: 1 },
          { detector: 'letters', segment: 2, code: 'HIT', start: 0, end: 1, score: 1 },
        ],
      },
    ]);
  });

  it('turns a detector that throws into a failed outcome, and still runs the other detectors', async () => {
    const throws: Scan = () => {
      throw new Error('cannot read the text');
    };
    const outcomes = await runScan([bound('broken', throws), bound('letters', findsX)], [segment('x')], {
      nowMs: () => 0,
      deadlineMs: 100,
    });
    expect(outcomes[0]).toEqual({
      detector: 'broken',
      plugin: 'broken',
      revision: 3,
      status: 'failed',
      reason: 'failed',
    });
    expect(outcomes[1]).toMatchObject({ detector: 'letters', status: 'scanned' });
  });

  it('drops the findings of a detector that exceeds its own time limit', async () => {
    const clock = manualClock();
    const slow: Scan = (text) => {
      clock.advance(60);
      return findsX(text);
    };
    const outcomes = await runScan([bound('slow', slow, 100)], [segment('x'), segment('x', 1), segment('x', 2)], {
      nowMs: clock.nowMs,
      deadlineMs: 1_000,
    });
    expect(outcomes).toEqual([{ detector: 'slow', plugin: 'slow', revision: 3, status: 'failed', reason: 'timeout' }]);
  });

  it('reports a detector as not run when the deadline of the stage has passed', async () => {
    const clock = manualClock();
    const slow: Scan = () => {
      clock.advance(250);
      return [];
    };
    const outcomes = await runScan([bound('slow', slow), bound('letters', findsX)], [segment('x')], {
      nowMs: clock.nowMs,
      deadlineMs: 200,
    });
    expect(outcomes.map((outcome) => outcome.status === 'failed' && outcome.reason)).toEqual(['timeout', 'not_run']);
  });

  it('does not charge a detector for the time of other work during pauses', async () => {
    const clock = manualClock();
    const outcomes = await runScan(
      [bound('slow', () => (clock.advance(20), []), 100)],
      Array.from({ length: 4 }, (_, index) => segment('x', index)),
      {
        nowMs: clock.nowMs,
        deadlineMs: 100,
        pause: () => {
          clock.advance(5_000);
          return Promise.resolve();
        },
      },
    );
    expect(outcomes).toMatchObject([{ status: 'scanned' }]);
  });

  it('does not charge a detector for the time of other work while very many texts are prepared', async () => {
    const clock = manualClock();
    const memory = {
      recall: () => undefined,
      keep: () => undefined,
      joinsNothing: false,
      keepJoinsNothing: () => undefined,
    };
    const outcomes = await runScan(
      [bound('quick', () => [], 100)],
      Array.from({ length: 2_000 }, (_, index) => segment('x', index)),
      {
        nowMs: clock.nowMs,
        deadlineMs: 100,
        memory: { of: () => (clock.advance(0.02), memory) },
        pause: () => {
          clock.advance(5_000);
          return Promise.resolve();
        },
      },
    );
    expect(outcomes).toMatchObject([{ status: 'scanned' }]);
  });

  it('yields to other work when a scan blocks the thread', async () => {
    const clock = manualClock();
    let pauses = 0;
    await runScan(
      [bound('slow', () => (clock.advance(20), []), 10_000)],
      Array.from({ length: 5 }, (_, index) => segment('x', index)),
      {
        nowMs: clock.nowMs,
        deadlineMs: 10_000,
        pause: () => {
          pauses++;
          return Promise.resolve();
        },
      },
    );
    expect(pauses).toBe(5);
  });
});
