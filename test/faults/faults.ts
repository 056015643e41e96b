/** The list of injected faults, for the tests and for the page that describes them. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import pg from 'pg';
import { Agent } from 'undici';
import { poster } from './callers.js';
import type { Mood } from './fault-provider.js';
import type { Needs, Stage } from './stage.js';

export interface Fault {
  /** The name in the table. */
  readonly name: string;
  readonly needs: Needs;
  /** The time limit of a call during the fault, in milliseconds. */
  readonly deadlineMs: number;
  /** The number of repetitions in the long form; the short form has one. */
  readonly times: number;
  /** The duration of each repetition, in milliseconds. */
  readonly holdMs: number;
  /** The duration in the long form, if it differs. */
  readonly longHoldMs?: number;
  /** The expected message of `/readyz` during the fault, if operators have to be notified. */
  readonly says?: RegExp;
  breaks(stage: Stage, time: number): Promise<unknown> | void;
  mends(stage: Stage, time: number): Promise<unknown> | void;
  /** The answers to requests that the fault itself sends, by status; 0 for a broken connection. */
  readonly answers?: ReadonlyMap<number, number>;
  /** A short note for the table. */
  tells?(stage: Stage): string;
}

/** The time limit of a call's statement; later calls are refused immediately. */
const POSTGRES_MS = 1_500;
const EMBEDDED_MS = 5_000;
/** The timeout that the stage sets for the provider. */
const PROVIDER_MS = 2_000;
const PROVIDER_ENV = {
  WEIR_UPSTREAM_HEADERS_TIMEOUT: `${PROVIDER_MS}ms`,
  WEIR_UPSTREAM_IDLE_TIMEOUT: `${PROVIDER_MS}ms`,
  WEIR_UPSTREAM_TOTAL_TIMEOUT: `${PROVIDER_MS}ms`,
};
/** The time limit of a call while more bodies arrive than fit into the memory: calls wait for memory, and then for the processors. */
const CROWD_MS = 10_000;
const BODIES = 1_000;
const BODIES_MS = 120_000;
const DAYS_40_MS = 40 * 86_400_000;
const SHIFTED_CLOCK = new URL('../support/shifted-clock.mjs', `file://${process.cwd()}/test/faults/`).href;

const onPostgres: Needs = { database: 'postgresql' };
const onPostgresWithDeadline = { needs: onPostgres, deadlineMs: POSTGRES_MS };

const DATABASE: readonly Fault[] = [
  {
    ...{
      name: 'PostgreSQL killed (`kill -9` of all its processes)',
      ...onPostgresWithDeadline,
      times: 5,
      holdMs: 1_000,
    },
    says: /cannot be reached|ECONN|does not answer/,
    breaks: ({ postgres }) => postgres.kill(),
    mends: ({ postgres }) => postgres.restart(),
  },
  {
    ...{ name: 'packets of open connections to PostgreSQL lost', ...onPostgresWithDeadline, times: 5, holdMs: 4_000 },
    breaks: ({ network }) => void network.freezeOpen(),
    mends: () => undefined,
  },
  {
    ...{ name: 'PostgreSQL stopped (`SIGSTOP`)', ...onPostgresWithDeadline, times: 3, holdMs: 5_000 },
    longHoldMs: 30_000,
    says: /does not answer/,
    breaks: ({ postgres }) => postgres.pause(),
    mends: ({ postgres }) => postgres.resume(),
  },
  {
    ...{ name: 'PostgreSQL read-only, as a demoted primary', ...onPostgresWithDeadline, times: 3, holdMs: 4_000 },
    says: /is read-only/,
    breaks: ({ postgres }) => postgres.takeWrites(false),
    mends: ({ postgres }) => postgres.takeWrites(true),
  },
  {
    ...{ name: 'disk of PostgreSQL full', needs: { ...onPostgres, diskMebibytes: 256 }, deadlineMs: POSTGRES_MS },
    ...{ times: 3, holdMs: 6_000 },
    says: /has no space left on its disk/,
    breaks: ({ disk }) => disk.fill(),
    mends: async ({ disk, postgres }) => {
      disk.makeRoom();
      await postgres.restart();
    },
  },
  {
    ...{ name: 'disk of the embedded database full', needs: { database: 'embedded', diskMebibytes: 256 } },
    ...{ deadlineMs: EMBEDDED_MS, times: 3, holdMs: 6_000 },
    says: /has no space left on its disk/,
    breaks: ({ disk }) => disk.fill(),
    mends: ({ disk }) => disk.makeRoom(),
  },
  lockedTable(),
];

const SERVERS: readonly Fault[] = [
  {
    ...{ name: 'one of three replicas killed (`kill -9`)', needs: { ...onPostgres, replicas: 3 } },
    ...{ deadlineMs: POSTGRES_MS, times: 20, holdMs: 500 },
    breaks: ({ replicas }, time) => replicas[time % replicas.length]!.kill(),
    mends: (stage, time) => stage.restart(time % stage.replicas.length),
  },
  {
    ...{ name: 'service with the embedded database killed (`kill -9`)', needs: { database: 'embedded' } },
    ...{ deadlineMs: EMBEDDED_MS, times: 5, holdMs: 100 },
    breaks: ({ replicas: [only] }) => only!.kill(),
    mends: (stage) => stage.restart(0),
  },
  descriptors(),
  memory(),
  {
    name: 'clock of one of two replicas 40 days ahead',
    needs: {
      ...{ ...onPostgres, replicas: 2 },
      lastEnv: { NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`, TEST_CLOCK_SHIFT_MS: String(DAYS_40_MS) },
    },
    ...{ deadlineMs: POSTGRES_MS, times: 1, holdMs: 4_000, says: /s ahead of the database's/ },
    breaks: () => undefined,
    mends: () => undefined,
  },
];

/** Another session that locks a table of the log, as `CREATE INDEX` does. */
function lockedTable(): Fault {
  let holder: pg.Client | undefined;
  return {
    ...{ name: 'lock of a table of the log held', ...onPostgresWithDeadline, times: 3, holdMs: 4_000 },
    async breaks({ databaseUrl }) {
      holder = new pg.Client({ connectionString: databaseUrl });
      // If the run fails, the server ends first.
      holder.on('error', () => undefined);
      await holder.connect();
      await holder.query('BEGIN; LOCK TABLE event_ids IN SHARE MODE');
    },
    mends: () => holder?.end(),
  };
}

/** A service with a low limit of open files, and a client that opens many connections to it. */
function descriptors(): Fault {
  const sockets: Socket[] = [];
  return {
    ...{ name: '128 file descriptors, 300 connections opened', needs: { ...onPostgres, limits: 'ulimit -n 128' } },
    ...{ deadlineMs: POSTGRES_MS, times: 3, holdMs: 4_000 },
    breaks({ urls: [url] }) {
      for (let index = 0; index < 300; index++) {
        const socket = connect(Number(new URL(url!).port), '127.0.0.1');
        socket.on('error', () => undefined);
        sockets.push(socket);
      }
    },
    async mends() {
      await Promise.all(
        sockets.splice(0).map(async (socket) => {
          if (socket.closed) return;
          socket.destroy();
          await once(socket, 'close');
        }),
      );
    },
  };
}

/** A service with little memory, and more concurrent bodies than fit into it. */
function memory(): Fault {
  const statuses = new Map<number, number>();
  return {
    ...{ name: '512 MiB of memory, 1,000 bodies of 1 MB at once', needs: { ...onPostgres, memoryMebibytes: 512 } },
    ...{ deadlineMs: CROWD_MS, times: 1, holdMs: 1_000, answers: statuses },
    async breaks({ urls: [url], bootstrap }) {
      const agent = new Agent({ headersTimeout: BODIES_MS, bodyTimeout: BODIES_MS });
      const post = poster(agent);
      const headers = { 'x-service-key': bootstrap.keys.production };
      const one = async (index: number): Promise<void> => {
        const content = `${index} ${'and so on, '.repeat(90_000)}`;
        const body = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content }] });
        const status = await post(`${url}/proxy/openai/v1/chat/completions`, body, headers);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      };
      await Promise.all(Array.from({ length: BODIES }, (_unused, index) => one(index)));
      await agent.destroy();
    },
    mends: () => undefined,
    tells: (stage) => `bodies: ${answersText(statuses)}; ${stage.memory!.mostMebibytes} MiB at most`,
  };
}

/** The number of answers with each status, as text. */
export function answersText(statuses: ReadonlyMap<number, number>): string {
  const name = (status: number): string => (status === 0 ? 'broken connection' : String(status));
  return [...statuses].map(([status, count]) => `${count} × ${name(status)}`).join(', ');
}

const REDIS: readonly Fault[] = [
  {
    ...{ name: 'Redis stopped (`SIGSTOP`)', ...withRedis(), times: 3, holdMs: 3_000 },
    breaks: ({ redis }) => redis.freeze(),
    mends: ({ redis }) => redis.thaw(),
  },
  {
    ...{ name: 'Redis killed', ...withRedis(), times: 3, holdMs: 3_000 },
    breaks: ({ redis }) => redis.kill(),
    mends: ({ redis }) => redis.restart(),
  },
];

function withRedis(): Pick<Fault, 'needs' | 'deadlineMs'> {
  const env = { WEIR_RATE_EVENTS: '1000000/60', WEIR_RATE_PROXY: '1000000/60' };
  return { needs: { ...onPostgres, redis: true, env }, deadlineMs: POSTGRES_MS };
}

const moods: readonly (readonly [Mood, string])[] = [
  ['hangs', 'provider that does not answer'],
  ['drips', 'provider that sends one character now and then'],
  ['resets', 'provider that breaks connections'],
  ['garbage', 'provider that answers with meaningless bytes'],
  ['gzip bomb', 'provider that answers with a gzip bomb'],
];

const PROVIDER: readonly Fault[] = moods.map(([mood, name]) => ({
  ...{
    name,
    needs: { ...onPostgres, env: PROVIDER_ENV },
    deadlineMs: PROVIDER_MS + POSTGRES_MS,
    times: 1,
    holdMs: 5_000,
  },
  breaks: ({ provider }: Stage) => void (provider.mood = mood),
  mends: ({ provider }: Stage) => void (provider.mood = 'answers'),
}));

export const FAULTS: readonly Fault[] = [...SERVERS, ...DATABASE, ...REDIS, ...PROVIDER];
