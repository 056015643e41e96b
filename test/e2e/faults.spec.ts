/**
 * During every fault, acknowledged calls are in the log exactly once, and no call is answered with 500, or more than two seconds after its
 * deadline. Readiness reports the fault in time, and calls are accepted again within two seconds after its end. Each fault occurs once and
 * briefly; `npm run bench -- faults` is the long form, with figures.
 */
import { compare } from '../faults/audit.js';
import { FAULTS } from '../faults/faults.js';
import { CALLERS, missedLimits, runFault } from '../faults/run-fault.js';
import { obstacle } from '../faults/stage.js';

/** A busy machine may delay the answers of one run. A service that is too slow misses its limits in every run. */
const MOST_RUNS = 3;
/** The statuses of requests that may be more than a service can take. */
const SERVED_OR_SHED = [200, 413, 503];

describe('With this fault, every call that was acknowledged as recorded is in the log exactly once', () => {
  for (const fault of FAULTS) {
    const why = obstacle(fault.needs);
    if (why !== undefined) console.warn(`SKIPPED, ${why}: ${fault.name}`);
    const declare = why === undefined ? it : it.skip;
    declare(
      fault.name,
      async () => {
        let missed = ['no run'];
        for (let run = 1; run <= MOST_RUNS && missed.length > 0; run++) {
          const outcome = await runFault(fault, 1);
          const { lost, twice, withoutEnd, said, others } = outcome;
          expect({ lost, twice, failed: others.get(500) ?? 0 }).toEqual({ lost: 0, twice: 0, failed: 0 });
          const statuses = [...(fault.answers?.keys() ?? [])];
          expect(statuses.filter((status) => !SERVED_OR_SHED.includes(status))).toEqual([]);
          if (fault.says !== undefined) expect(said).toContainEqual(expect.stringMatching(fault.says));
          // Calls that were stored although their caller got 503 or their server was killed: the sweeper ends them later.
          expect(withoutEnd).toBeLessThanOrEqual(CALLERS);
          missed = missedLimits(fault, outcome);
        }
        expect(missed).toEqual([]);
      },
      MOST_RUNS * 120_000,
    );
  }
});

describe('The comparison of the log with the answers to clients', () => {
  const observed = {
    ...{ events: new Set(['e0.0', 'e0.1']), unknown: new Set<string>(), calls: new Set(['p0.0', 'p0.1']) },
    ...{ statuses: new Map<number, number>(), longestMs: 0, late: 0 },
  };
  const stored = (type: string, id: string) => ({ type, event_id: id, request_id: id });

  it('finds missing events, duplicate events and calls without an end', () => {
    const log = [
      stored('ai.request', 'e0.0'),
      stored('ai.request', 'e0.0'),
      stored('ai.request', 'p0.0'),
      stored('ai.request', 'p0.1'),
      stored('ai.response', 'p0.1'),
    ];
    expect(compare(log, observed)).toEqual({ lost: 2, twice: 1, withoutEnd: 1 });
  });
});
