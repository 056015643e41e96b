import { FallbackStorage } from './fallback-storage.js';
import { MemoryStorage } from './memory-storage.js';

function fallback() {
  let nowMs = 0;
  const told = { alone: 0, changes: [] as boolean[], asked: 0, down: false };
  const shared = new MemoryStorage(() => nowMs);
  const storage = new FallbackStorage(
    {
      increment: (...hit) => {
        told.asked += 1;
        return told.down ? Promise.reject(new Error('Command timed out')) : shared.increment(...hit);
      },
    },
    new MemoryStorage(() => nowMs),
    { fellBack: () => void (told.alone += 1), changed: (is) => void told.changes.push(is) },
    () => nowMs,
  );
  const hit = () => storage.increment('app', 60_000, 3, 0, 'events');
  return { told, hit, pass: (ms: number) => void (nowMs += ms) };
}

describe('shared limits', () => {
  it('are counted by this process while Redis is down, and no request fails', async () => {
    const { told, hit } = fallback();
    await hit();
    told.down = true;
    const answers = [await hit(), await hit(), await hit(), await hit()];
    expect(answers.map(({ isBlocked }) => isBlocked)).toEqual([false, false, false, true]);
    expect(told).toMatchObject({ alone: 4, changes: [false] });
  });

  it('do not delay every request while Redis is down', async () => {
    const { told, hit } = fallback();
    told.down = true;
    for (let count = 0; count < 50; count += 1) await hit();
    expect(told.asked).toBe(3);
  });

  it('are shared again after the first hit that Redis answers', async () => {
    const { told, hit, pass } = fallback();
    told.down = true;
    for (let count = 0; count < 5; count += 1) await hit();
    told.down = false;
    pass(1_999);
    await hit();
    expect(told.changes).toEqual([false]);
    pass(1);
    expect((await hit()).totalHits).toBe(1);
    expect(told.changes).toEqual([false, true]);
    expect((await hit()).totalHits).toBe(2);
  });
});
