import { SupervisorStorage } from './supervisor-storage.js';

describe('Hits that the supervisor counts', () => {
  it('are refused as an overload while it says nothing, instead of waiting for ever', async () => {
    const silent = { countHit: () => new Promise<never>(() => undefined) };
    const storage = new SupervisorStorage(silent, 1);
    await expect(storage.increment('key', 60_000, 5, 0, 'calls')).rejects.toMatchObject({ type: 'overloaded' });
  });
});
