import type { ClaimedJob } from './export-job.js';
import { ExportRunner } from './export-runner.js';

type Parts = ConstructorParameters<typeof ExportRunner>;

/** A runner that finds one job, and whose reader waits for the read replica until the wait is aborted. */
function runner() {
  const told: string[] = [];
  const jobs = {
    accountsWithWork: () => Promise.resolve(['account']),
    expire: () => Promise.resolve(),
    claim: () => Promise.resolve(told.length === 0 ? ({ id: 'job' } as ClaimedJob) : null),
    release: () => Promise.resolve(void told.push('released')),
  };
  const waiting = Promise.withResolvers<void>();
  const waits: Parts[1] = (signal) => {
    told.push('waits');
    waiting.resolve();
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve({} as never)));
  };
  const log = { error: (_about: object, message: string) => told.push(message) };
  const parts = { jobs } as unknown as Parts[0];
  const schedules = { startDue: () => Promise.resolve() } as unknown as Parts[2];
  return { runner: new ExportRunner(parts, waits, schedules, log), waiting: waiting.promise, told };
}

describe('A process that stops during an export', () => {
  it('does not wait for a read replica to catch up, reads nothing more, and releases the job', async () => {
    const { runner: exports, waiting, told } = runner();
    exports.start();
    await waiting;
    await exports.stop();
    expect(told).toEqual(['waits', 'released']);
  });
});
