import { PeriodicWork } from './periodic-work.js';

/** Work whose runs are ended by the test. */
function heldWork() {
  const ends: (() => void)[] = [];
  const work = new PeriodicWork(() => new Promise<void>((resolve) => void ends.push(resolve)), 3_600_000);
  return { work, ends };
}
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe('Periodic work', () => {
  it('runs exactly once after the current run, regardless of the number of requests', async () => {
    const { work, ends } = heldWork();
    work.runNow();
    await turn();
    for (let asked = 0; asked < 5; asked++) work.runNow();
    await turn();
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await turn();
    expect(ends).toHaveLength(2);
    ends[1]?.();
    await turn();
    expect(ends).toHaveLength(2);
  });

  it('waits for the current run when it is stopped', async () => {
    const { work, ends } = heldWork();
    work.start();
    work.runNow();
    await turn();
    let hasStopped = false;
    const stopped = work.stop().then(() => (hasStopped = true));
    await turn();
    expect(hasStopped).toBe(false);
    ends[0]?.();
    await stopped;
    expect(ends).toHaveLength(1);
  });
});
