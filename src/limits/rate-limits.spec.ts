import { loadConfig } from '../config/index.js';
import { WeirError } from '../http/index.js';
import { MemoryStorage } from './memory-storage.js';
import { RateLimits } from './rate-limits.js';
import type { HitStorage } from './storage-record.js';

const CONFIG = loadConfig({ WEIR_RATE_PROXY: '2/60' }, () => '');

/** The limits of a storage, and everything that they report. */
function limitsOf(storage: HitStorage) {
  const reports: string[] = [];
  const limits = new RateLimits(CONFIG, storage, (limit, outcome) => void reports.push(`${limit} ${outcome}`));
  const setHeader = (name: string, value: string): void => void reports.push(`${name}: ${value}`);
  return { limits, reports, setHeader };
}

/** A storage in this process, and the same with an answer that comes later. */
function storages(): { readonly now: HitStorage; readonly later: HitStorage } {
  const [now, behind] = [new MemoryStorage(() => 0), new MemoryStorage(() => 0)];
  return { now, later: { increment: (...hit) => Promise.resolve(behind.increment(...hit)) } };
}

/** What three calls and a look at their count result in. */
async function courseOf(storage: HitStorage): Promise<readonly unknown[]> {
  const { limits, reports, setHeader } = limitsOf(storage);
  const course: unknown[] = [];
  for (let call = 0; call < 3; call++)
    for (const step of ['refuse', 'take'] as const) {
      const asked = async () => limits[step]('proxy', 'app', setHeader);
      course.push(await asked().catch((error: unknown) => error));
      course.push(...reports.splice(0));
    }
  course.push(await limits.use('proxy', 'app'));
  return course;
}

describe('A rate limit', () => {
  it('is checked without a promise if hits are counted in this process, and refuses a call by throwing', () => {
    const { limits, setHeader } = limitsOf(storages().now);
    const take = () => limits.take('proxy', 'app', setHeader);
    const refuse = () => limits.refuse('proxy', 'app', setHeader);
    expect([take(), refuse(), take()]).toEqual([undefined, undefined, undefined]);
    expect(limits.use('proxy', 'app')).toEqual({ count: 2, seconds: 60, used: 2 });
    for (const over of [take, refuse]) expect(over).toThrow(WeirError);
  });

  it('has the same results, headers and counts if its storage answers later', async () => {
    const { now, later } = storages();
    const course = await courseOf(now);
    expect(course).toContain('proxy refused');
    expect(course).toContain('ratelimit: "proxy";r=1;t=60');
    expect(await courseOf(later)).toEqual(course);
  });

  it('fails with the error of its storage', async () => {
    const silent = { increment: () => Promise.reject(new Error('silent')) };
    const { limits, setHeader } = limitsOf(silent);
    await expect(limits.take('proxy', 'app', setHeader)).rejects.toThrow('silent');
    await expect(limits.refuse('proxy', 'app', setHeader)).rejects.toThrow('silent');
  });
});
