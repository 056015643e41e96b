import { Redis } from 'ioredis';
import { countHit, type HitWindow } from '../../src/limits/hit-window.js';
import { RedisStorage } from '../../src/limits/redis-storage.js';
import { FreezingProxy } from '../support/freezing-proxy.js';
import { findRedis, TestRedis } from '../support/redis.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { findPostgresBinaries, TestPostgres } from '../support/postgres.js';

const EVENT = JSON.stringify({
  type: 'ai.error',
  request_id: 'r',
  payload: { error: { type: 'timeout', message: 'late' } },
});

async function statuses(count: number, send: (index: number) => Promise<Response>): Promise<Map<number, number>> {
  const answers = await Promise.all(Array.from({ length: count }, (_, index) => send(index)));
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  const counts = new Map<number, number>();
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
}

async function metric(app: TestApp, name: string): Promise<number> {
  const text = await (await fetch(`${app.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
}

const postgresBinaries = findPostgresBinaries();
const replicas = 'of two replicas';
if (postgresBinaries === undefined) console.warn(`SKIPPED, no PostgreSQL binaries found: rate limits ${replicas}`);

/** Declares `suite` with the Redis of this machine; without Redis, the suite is skipped with a warning. */
function withRedis(title: string, suite: (binary: string) => void): void {
  const binary = findRedis();
  if (binary !== undefined) {
    describe(title, () => suite(binary));
    return;
  }
  // `npm test` passes where nothing but Node is installed; CI installs Redis and counts a skipped test as a failure.
  console.warn(`SKIPPED, there is no redis-server on this machine: ${title}`);
  describe.skip(`${title} (no redis-server found)`, () => suite(''));
}

withRedis('rate limits on Redis', (binary) => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await TestRedis.start(binary);
  });
  afterAll(async () => redis.stop());

  it('admit and refuse the same hits as the limits of a single process', async () => {
    const storage = new RedisStorage(redis.url, 10_000);
    try {
      expect(await storage.connected(10_000)).toBe(true);
      for (const [limit, windowMs] of [
        [1, 40],
        [7, 90],
        [50, 60],
        [200, 100_000],
      ] as const) {
        const window: HitWindow = [];
        for (let count = 0; count < 250; count += 1) {
          // Some calls count several hits, and some give hits back.
          const hits = (count % 7 === 3 ? -1 : 1) * (count % 5 === 0 ? (count % 4) + 1 : 1);
          const { atMs, ...hit } = await storage.countHit(`model-${limit}`, limit, windowMs, hits);
          expect({ limit, count, ...hit }).toEqual({ limit, count, ...countHit(window, limit, windowMs, atMs, hits) });
        }
      }
    } finally {
      storage.close();
    }
  });

  it('leave no data in Redis after their window', async () => {
    const storage = new RedisStorage(redis.url, 10_000);
    try {
      expect(await storage.connected(10_000)).toBe(true);
      const { waitMs } = await storage.countHit('short', 1, 30);
      expect(waitMs).toBe(30);
      let { hits } = await storage.countHit('short', 2, 30);
      // Redis decides when the window is over, however busy this machine is.
      while (hits > 1) ({ hits } = await storage.countHit('short', 3, 30));
      expect(hits).toBe(1);
    } finally {
      storage.close();
    }
  });

  it('are shared again soon after the machine of Redis has disappeared without closing its connections', async () => {
    const address = await FreezingProxy.start(redis.port);
    const storage = new RedisStorage(`redis://127.0.0.1:${address.port}`, 1_000);
    const other = new RedisStorage(redis.url, 10_000);
    try {
      expect(await storage.connected(10_000)).toBe(true);
      expect(await other.connected(10_000)).toBe(true);
      expect(address.freezeOpen()).toBe(1);
      const counted = () =>
        storage.countHit('lost', 100, 100_000).then(
          ({ hits }) => hits,
          () => undefined,
        );
      // The operating system itself would keep the connection for about a quarter of an hour.
      while ((await counted()) === undefined) await new Promise(setImmediate);
      const { hits } = await other.countHit('lost', 100, 100_000);
      expect(await counted()).toBe(hits + 1);
    } finally {
      storage.close();
      other.close();
      await address.stop();
    }
  });

  it('keep their connection while nothing is counted', async () => {
    const storage = new RedisStorage(redis.url, 50);
    const clock = new RedisStorage(redis.url, 10_000);
    const observer = new Redis(redis.url);
    /** The ids that Redis has given to the connections of Weir. */
    const connections = async (): Promise<string[]> =>
      String(await observer.client('LIST'))
        .split('\n')
        .flatMap((line) => /^id=(\d+) .* name=weir /.exec(line)?.[1] ?? []);
    try {
      expect(await storage.connected(10_000)).toBe(true);
      expect(await clock.connected(10_000)).toBe(true);
      await storage.countHit('idle', 1, 10).catch(() => undefined);
      // The latest ones; connections of earlier tests may still be about to close.
      const before = (await connections()).slice(-2);
      expect(before).toHaveLength(2);
      // Redis decides when the time is over that would close a connection without an answer.
      await clock.countHit('clock', 1, 2_500);
      while (!(await clock.countHit('clock', 1, 2_500)).admitted);
      expect(await connections()).toEqual(expect.arrayContaining(before));
    } finally {
      storage.close();
      clock.close();
      observer.disconnect();
    }
  });

  (postgresBinaries === undefined ? describe.skip : describe)(replicas, () => {
    let postgres: TestPostgres;
    let first: TestApp;
    let second: TestApp;
    const LIMIT = 40;
    beforeAll(async () => {
      postgres = await TestPostgres.start(postgresBinaries ?? '');
      const databaseUrl = await postgres.newDatabase();
      // A busy machine must not look like a slow Redis.
      const env = { REDIS_URL: redis.url, WEIR_REDIS_DEADLINE: '3s', WEIR_RATE_EVENTS: `${LIMIT}/3600` };
      first = await startTestApp({ databaseUrl, env });
      second = await startTestApp({ databaseUrl, env, replicaOf: first });
    }, 60_000);
    afterAll(async () => {
      await second.close();
      await first.close();
      await postgres.stop();
    });
    const send = (index: number): Promise<Response> =>
      fetch(`${(index % 2 === 0 ? first : second).url}/v1/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${first.bootstrap.keys.production}`, 'content-type': 'application/json' },
        body: EVENT,
      });

    it('are exact: both replicas together admit the limit and no more', async () => {
      expect(await statuses(3 * LIMIT, send)).toEqual(
        new Map([
          [200, LIMIT],
          [429, 2 * LIMIT],
        ]),
      );
      expect(await metric(first, 'weir_rate_limit_fallback_total')).toBe(0);
    });

    it('are also exact for an app with its own limit, and each replica reports the refusals of the other replica', async () => {
      const OWN = 5;
      const manage = async (method: string, path: string, body?: object) => {
        const response = await fetch(`${first.url}${path}`, {
          method,
          headers: { authorization: `Bearer ${first.bootstrap.token}`, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        return JSON.parse(await response.text());
      };
      const { id } = await manage('POST', '/v1/apps', { name: 'limited by itself' });
      const { secret } = await manage('POST', `/v1/apps/${id}/keys`, { name: 'k', environment: 'production' });
      await manage('PATCH', `/v1/apps/${id}`, { limits: { events: { count: OWN, seconds: 3_600 } } });
      const sendWithKey = (index: number): Promise<Response> =>
        fetch(`${(index % 2 === 0 ? first : second).url}/v1/events`, {
          method: 'POST',
          headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
          body: EVENT,
        });
      expect(await statuses(4 * OWN, sendWithKey)).toEqual(
        new Map([
          [200, OWN],
          [429, 3 * OWN],
        ]),
      );
      expect((await manage('GET', `/v1/apps/${id}`)).usage).toMatchObject({
        events: { count: OWN, seconds: 3_600, used: OWN },
        counted_by: 'all_replicas',
      });
      const refused = async () => (await manage('GET', `/v1/apps/${id}/reception`)).refused;
      // The other replica writes its counts within a second.
      while ((await refused())[0].count < 3 * OWN);
      expect(await refused()).toEqual([
        { status: 429, type: 'rate_limit_exceeded', count: 3 * OWN, last_at: expect.any(String) },
      ]);
    });

    it('are counted by each replica separately while Redis is frozen, killed or new, without errors', async () => {
      redis.freeze();
      const frozen = await statuses(4 * LIMIT, send);
      expect([...frozen.keys()].sort()).toEqual([200, 429]);
      expect(frozen.get(200)).toBe(2 * LIMIT);
      expect(await metric(first, 'weir_rate_limit_fallback_total')).toBeGreaterThan(0);
      redis.thaw();
      await redis.kill();
      expect([...(await statuses(2 * LIMIT, send)).keys()]).toEqual([429]);
      await redis.restart();
      const admitted = async (): Promise<number> => (await statuses(2, send)).get(200) ?? 0;
      // A new Redis has no counts: calls are admitted again as soon as the replicas have connected to it.
      while ((await admitted()) === 0);
      expect(
        first.logs.concat(second.logs).filter((line) => line.includes('Redis answers again')).length,
      ).toBeGreaterThan(0);
    });
  });

  (postgresBinaries === undefined ? describe.skip : describe)('whose Redis primary fails over to its replica', () => {
    let postgres: TestPostgres;
    let primary: TestRedis;
    let replica: TestRedis;
    let address: FreezingProxy;
    const apps: TestApp[] = [];
    const LIMIT = 60;
    beforeAll(async () => {
      postgres = await TestPostgres.start(postgresBinaries ?? '');
      primary = await TestRedis.start(binary);
      replica = await TestRedis.start(binary, primary);
      address = await FreezingProxy.start(primary.port);
      const databaseUrl = await postgres.newDatabase();
      const REDIS_URL = `redis://127.0.0.1:${address.port}`;
      const env = { REDIS_URL, WEIR_REDIS_DEADLINE: '3s', WEIR_RATE_EVENTS: `${LIMIT}/3600` };
      apps.push(await startTestApp({ databaseUrl, env }));
      apps.push(await startTestApp({ databaseUrl, env, replicaOf: apps[0]! }));
    }, 60_000);
    afterAll(async () => {
      for (const app of apps) await app.close();
      for (const each of [address, primary, replica, postgres]) await each.stop();
    });
    let key: string;
    const send = (index: number): Promise<Response> =>
      fetch(`${apps[index % 2]!.url}/v1/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: EVENT,
      });
    const fallbacks = async (): Promise<number> =>
      (await Promise.all(apps.map((app) => metric(app, 'weir_rate_limit_fallback_total')))).reduce((a, b) => a + b);
    /** Waits until both replicas count in Redis again; the last call of each is counted there. */
    const untilShared = async (): Promise<void> => {
      for (const index of apps.keys()) {
        for (let isAlone = true; isAlone;) {
          const before = await fallbacks();
          await (await send(index)).arrayBuffer();
          isAlone = (await fallbacks()) > before;
        }
      }
    };

    /** The key of a new app, whose limit is unused. */
    const keyOfNewApp = async (): Promise<string> => {
      const make = async (path: string, body: object) => {
        const response = await fetch(`${apps[0]!.url}${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${apps[0]!.bootstrap.token}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        return JSON.parse(await response.text());
      };
      const { id } = await make('/v1/apps', { name: `app ${performance.now()}` });
      return (await make(`/v1/apps/${id}/keys`, { name: 'k', environment: 'production' })).secret;
    };
    beforeEach(async () => {
      key = await keyOfNewApp();
    });

    it('continue with the counts of the replica, and stay exact', async () => {
      expect(await statuses(20, send)).toEqual(new Map([[200, 20]]));
      await replica.untilInSync(primary);
      await primary.kill();
      await replica.promote();
      address.moveTo(replica.port);
      await untilShared();
      const left = LIMIT - 20 - apps.length;
      expect(await statuses(LIMIT, send)).toEqual(
        new Map([
          [200, left],
          [429, LIMIT - left],
        ]),
      );
    });

    it('do not use the old primary once it has become a replica, although its connections stay open', async () => {
      const next = await TestRedis.start(binary, replica);
      try {
        await next.promote();
        address.nextTo(next.port);
        await replica.follow(next);
        // The old primary refuses to count a hit with READONLY; a process that kept using it would count alone from here on.
        await untilShared();
        const before = await fallbacks();
        const left = LIMIT - apps.length;
        expect(await statuses(LIMIT, send)).toEqual(
          new Map([
            [200, left],
            [429, LIMIT - left],
          ]),
        );
        expect(await fallbacks()).toBe(before);
      } finally {
        await next.stop();
      }
    }, 60_000);
  });
});
