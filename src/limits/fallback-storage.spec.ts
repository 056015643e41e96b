import { FallbackStorage } from './fallback-storage.js';
import { MemoryStorage } from './memory-storage.js';

function fallback() {
  let nowMs = 0;
  const seen = { alone: 0, changes: [] as boolean[], asked: 0, down: false };
  const shared = new MemoryStorage(() => nowMs);
  const storage = new FallbackStorage(
    {
      increment: (...hit) => {
        seen.asked += 1;
        return seen.down ? Promise.reject(new Error('Command timed out')) : shared.increment(...hit);
      },
    },
    new MemoryStorage(() => nowMs),
    { fellBack: () => void (seen.alone += 1), changed: (is) => void seen.changes.push(is) },
    () => nowMs,
  );
  const hit = () => storage.increment('app', 60_000, 3, 0, 'events');
  return { seen, hit, pass: (ms: number) => void (nowMs += ms) };
}

describe('shared limits', () => {
  it('are counted by this process while Redis is down, and no request fails', async () => {
    const { seen, hit } = fallback();
    await hit();
    seen.down = true;
    const answers = [await hit(), await hit(), await hit(), await hit()];
    expect(answers.map(({ isBlocked }) => isBlocked)).toEqual([false, false, false, true]);
    expect(seen).toMatchObject({ alone: 4, changes: [false] });
  });

  it('do not delay every request while Redis is down', async () => {
    const { seen, hit } = fallback();
    seen.down = true;
    for (let count = 0; count < 50; count += 1) await hit();
    expect(seen.asked).toBe(3);
  });

  it('are shared again after the first hit that Redis answers', async () => {
    const { seen, hit, pass } = fallback();
    seen.down = true;
    for (let count = 0; count < 5; count += 1) await hit();
    seen.down = false;
    pass(1_999);
    await hit();
    expect(seen.changes).toEqual([false]);
    pass(1);
    expect((await hit()).totalHits).toBe(1);
    expect(seen.changes).toEqual([false, true]);
    expect((await hit()).totalHits).toBe(2);
  });
});
