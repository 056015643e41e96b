import { SupervisorStorage } from './supervisor-storage.js';

describe('Hits counted by the supervisor', () => {
  it('are refused as overloaded if the supervisor does not answer in time', async () => {
    const silent = { countHit: () => new Promise<never>(() => undefined) };
    const storage = new SupervisorStorage(silent, 1);
    await expect(storage.increment('key', 60_000, 5, 0, 'calls')).rejects.toMatchObject({ type: 'overloaded' });
  });

  it('are refused as overloaded if the supervisor has left too many hits unanswered', async () => {
    const stopped = { countHit: () => Promise.reject(new Error('the supervisor does not answer')) };
    const storage = new SupervisorStorage(stopped);
    await expect(storage.increment('key', 60_000, 5, 0, 'calls')).rejects.toMatchObject({ type: 'overloaded' });
  });
});
