/**
 * Whatever breaks: what was acknowledged is in the log, once, and nobody waits without an end. Each fault once, shortly, but
 * for those that take minutes; `npm run bench -- faults` is the long form, with figures.
 */
import { compare } from '../faults/audit.js';
import { FAULTS } from '../faults/faults.js';
import { CALLERS, runFault } from '../faults/run-fault.js';
import { obstacle } from '../faults/stage.js';

/** A machine that has other things to do is late: that nobody hangs is asserted, and the seconds are told by the bench. */
const HANGS_MS = 30_000;

describe('With this fault, whoever was told that a call is recorded finds it in the log, once', () => {
  for (const fault of FAULTS.filter(({ isLong }) => isLong !== true)) {
    const why = obstacle(fault.needs);
    if (why !== undefined) console.warn(`SKIPPED, ${why}: ${fault.name}`);
    const declare = why === undefined ? it : it.skip;
    declare(
      fault.name,
      async () => {
        const { lost, twice, withoutEnd, said, longestMs } = await runFault(fault, 1);
        expect({ lost, twice }).toEqual({ lost: 0, twice: 0 });
        expect(longestMs).toBeLessThan(HANGS_MS);
        if (fault.says !== undefined) expect(said).toContainEqual(expect.stringMatching(fault.says));
        // What was stored while its caller was told 503, or its server killed: the sweeper ends it in its time.
        expect(withoutEnd).toBeLessThanOrEqual(CALLERS);
      },
      180_000,
    );
  }
});

describe('The comparison of the log with what clients were told', () => {
  const told = {
    ...{ events: new Set(['e0.0', 'e0.1']), unknown: new Set<string>(), calls: new Set(['p0.0', 'p0.1']) },
    ...{ statuses: new Map<number, number>(), longestMs: 0, late: 0 },
  };
  const stored = (type: string, id: string) => ({ type, event_id: id, request_id: id });

  it('finds what is not there, what is there twice, and what has no end', () => {
    const log = [
      stored('ai.request', 'e0.0'),
      stored('ai.request', 'e0.0'),
      stored('ai.request', 'p0.0'),
      stored('ai.request', 'p0.1'),
      stored('ai.response', 'p0.1'),
    ];
    expect(compare(log, told)).toEqual({ lost: 2, twice: 1, withoutEnd: 1 });
  });
});
