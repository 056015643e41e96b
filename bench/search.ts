import { backendClock } from './backend-time.js';
import { median } from './load.js';
import { askedOf, type Asked } from './search-filters.js';
import { seedYear } from './search-events.js';
import { recordTemplates } from './search-templates.js';
import { ingestionDuringSearch } from './ingestion-during-search.js';
import { numberOption } from './options.js';
import { machineLoad, onDatabases, startWeir, type WeirService } from './weir-service.js';

/**
 * Measures whether searching events stays fast in a full log: sends a seeded list of filters to the service and reports
 * those above the limit. The limit applies to the CPU time of service and database, since the client's waiting
 * time, which is also printed, is longer on a busy machine. The time of the embedded database is part of that of the
 * service.
 *
 * `npm run bench -- search [--events 200000] [--months 12] [--database postgresql|embedded] [--filters 200] [--seed 1]
 * [--longest-words 8000]`; with `--while-looking` it measures instead whether use of the dashboard slows ingestion
 * down: see `ingestion-during-search.ts`
 */
const EVENTS = numberOption('events', 200000);
const MONTHS = numberOption('months', 12);
const FILTERS = numberOption('filters', 200);
const LONGEST_WORDS = numberOption('longest-words', 8000);
const SEED = numberOption('seed', 1);
const DAY_MS = 86_400_000;
/** A year is filled in within minutes; without these settings, checkpoints and autovacuum would slow the server down meanwhile. */
const SERVER_SETTINGS = ['max_wal_size=8GB', 'checkpoint_timeout=30min', 'autovacuum=off'];

/** Times of one request in milliseconds, and the status of its answer. */
interface Took {
  /** Waiting time of the client, which other load on the machine increases. */
  readonly waitedMs: number;
  /** CPU time of the service and of the database. */
  readonly serviceMs: number;
  readonly databaseMs: number;
  readonly status: number;
}

interface Timed extends Asked, Took {
  readonly rows: number;
  readonly goesOn: boolean;
}

const NOTHING = { rows: 0, goesOn: false };

interface Page {
  readonly data: readonly { readonly id: string }[];
  readonly next_cursor: string | null;
}

interface Bench {
  readonly weir: WeirService;
  /** Returns the CPU time of the database so far, in milliseconds. */
  readonly database: () => number;
}

async function get<T>({ weir, database }: Bench, path: string): Promise<{ readonly took: Took; readonly body: T }> {
  await weir.watch();
  const before = database();
  const startedMs = performance.now();
  const response = await fetch(`${weir.url}${path}`, { headers: { authorization: `Bearer ${weir.token}` } });
  const text = await response.text();
  const waitedMs = performance.now() - startedMs;
  const databaseMs = database() - before;
  const { processMs: serviceMs } = await weir.watch();
  return { took: { waitedMs, serviceMs, databaseMs, status: response.status }, body: JSON.parse(text) as T };
}

const processorMs = ({ serviceMs, databaseMs }: Took): number => serviceMs + databaseMs;

function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0;
}

const ms = (value: number): string => `${value.toFixed(0)} ms`;
const say = (text: string): boolean => process.stdout.write(`${text}\n`);

async function searched(bench: Bench, asked: readonly Asked[]): Promise<Timed[]> {
  const timed: Timed[] = [];
  for (const each of asked) {
    const { took, body } = await get<Page>(bench, `/v1/events?${new URLSearchParams(each.query).toString()}`);
    const found = took.status === 200 ? { rows: body.data.length, goesOn: body.next_cursor !== null } : NOTHING;
    timed.push({ ...each, ...found, ...took });
  }
  return timed;
}

/** Prints median, 95th percentile and maximum of the times, and the requests above the limit. */
function printFigure(name: string, took: readonly (Took & { readonly path: string })[], mayMs: number): void {
  const most = (times: readonly number[]): string =>
    `median ${ms(median(times))}, p95 ${ms(quantile(times, 0.95))}, at most ${ms(Math.max(...times))}`;
  const over = took
    .filter((each) => processorMs(each) > mayMs || each.status !== 200)
    .sort((left, right) => processorMs(right) - processorMs(left));
  say(
    `${name}: ${took.length} asked, ${over.length} over ${ms(mayMs)}; CPU time ${most(took.map(processorMs))}; ` +
      `waited ${most(took.map(({ waitedMs }) => waitedMs))}`,
  );
  for (const { path, status, serviceMs, databaseMs, waitedMs } of over.slice(0, 25)) {
    say(
      `  service ${ms(serviceMs)}, database ${ms(databaseMs)}, waited ${ms(waitedMs)}${status === 200 ? '' : `, FAILED with ${status}`}: ${path}`,
    );
  }
}

async function asked(bench: Bench, name: string, paths: readonly string[], mayMs: number): Promise<void> {
  const took: (Took & { readonly path: string })[] = [];
  for (const path of paths) took.push({ path, ...(await get(bench, path)).took });
  printFigure(name, took, mayMs);
}

function report(timed: readonly Timed[], mayMs: number): void {
  printFigure(
    'pages',
    timed.map((each) => ({
      ...each,
      path: `${each.kind}, ${each.rows} rows: ${new URLSearchParams(each.query).toString()}`,
    })),
    mayMs,
  );
  const early = timed.filter(({ goesOn, rows, query }) => goesOn && rows < Number(query['limit']));
  say(
    `  ${early.length} pages end early with a cursor, ${early.filter(({ rows }) => rows === 0).length} of them empty`,
  );
}

await onDatabases(async (name, env) => {
  const now = new Date();
  const startedMs = performance.now();
  let seeded = 0;
  const weir = await startWeir(env, {
    record: (first) => recordTemplates(first, LONGEST_WORDS),
    fill: async (database, accountId) => {
      seeded = await seedYear(database, { accountId, events: EVENTS, months: MONTHS, now });
    },
  });
  const factor = name === 'embedded' ? 2 : 1;
  const database = env['DATABASE_URL'] === undefined ? () => 0 : await backendClock(env['DATABASE_URL']);
  try {
    say(
      `\n${name}: ${seeded === 0 ? 'what an earlier run has filled in' : `${seeded} events of ${MONTHS} months, filled in in ${((performance.now() - startedMs) / 1000).toFixed(0)} s`}; ${machineLoad()}; seed ${SEED}`,
    );
    if (process.argv.includes('--while-looking')) {
      const { text, isOver } = await ingestionDuringSearch(weir, MONTHS, now);
      say(`${text}\n${machineLoad()}`);
      if (isOver) process.exitCode = 1;
      return;
    }
    const bench: Bench = { weir, database };
    const list = askedOf(SEED, FILTERS, MONTHS, now);
    for (const round of ['first', 'second']) {
      report(await searched(bench, list), 300 * factor);
      say(`  ${round} round; ${machineLoad()}`);
    }
    const since = (days: number): string => new Date(now.getTime() - days * DAY_MS).toISOString();
    const to = now.toISOString();
    const range = (days: number): string => `from=${since(days)}&to=${to}`;
    for (const days of [1, 7, 30, 90]) {
      const paths = [
        `/v1/stats?${range(days)}`,
        `/v1/stats?${range(days)}&group_by=app&top=5`,
        `/v1/stats?${range(days)}&group_by=outcome&top=5`,
      ];
      await asked(bench, `overview of ${days} days, each of its questions`, paths, 1_000 * factor);
    }
    const { body } = await get<Page>(bench, '/v1/events?limit=20&fields=summary');
    await asked(
      bench,
      'one call',
      body.data.map(({ id }) => `/v1/events/${id}`),
      150 * factor,
    );
    const some = list
      .filter((_, index) => index % 7 === 0)
      .map(({ query }) => {
        const { limit: _limit, fields: _fields, order: _order, ...filters } = query;
        return new URLSearchParams(filters).toString();
      });
    await asked(
      bench,
      'count',
      some.map((query) => `/v1/events/count?${query}`),
      300 * factor,
    );
    await asked(
      bench,
      'facets',
      some.map((query) => `/v1/events/facets?${query}`),
      300 * factor,
    );
    await asked(bench, 'sessions', ['/v1/sessions?limit=50', `/v1/sessions?limit=50&${range(90)}`], 300 * factor);
  } finally {
    await weir.stop();
  }
}, SERVER_SETTINGS);
