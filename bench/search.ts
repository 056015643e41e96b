import { backendClock } from './backend-time.js';
import { median } from './load.js';
import { askedOf, type Asked } from './search-filters.js';
import { seedYear } from './search-events.js';
import { machineLoad, onDatabases, option, startWeir, type WeirService } from './weir-service.js';

/**
 * Whether looking for events stays fast in a full log: a seeded list of filters through the service, and which of them take
 * longer than they may. Processor time of service and database stands beside the time that a client waits.
 *
 * `npm run bench -- search [--events 200000] [--months 12] [--database postgresql|embedded] [--filters 200] [--seed 1]`
 */
const EVENTS = Number(option('events', '200000'));
const MONTHS = Number(option('months', '12'));
const FILTERS = Number(option('filters', '200'));
const SEED = Number(option('seed', '1'));
const DAY_MS = 86_400_000;

interface Timed extends Asked {
  readonly waitedMs: number;
  readonly status: number;
  readonly rows: number;
  readonly goesOn: boolean;
}

const NOTHING = { rows: 0, goesOn: false };

interface Page {
  readonly data: readonly { readonly id: string }[];
  readonly next_cursor: string | null;
}

interface Answer<T> {
  readonly ms: number;
  readonly status: number;
  readonly body: T;
}

async function get<T>({ url, token }: WeirService, path: string): Promise<Answer<T>> {
  const startedMs = performance.now();
  const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  const text = await response.text();
  return { ms: performance.now() - startedMs, status: response.status, body: JSON.parse(text) as T };
}

function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0;
}

const ms = (value: number): string => `${value.toFixed(0)} ms`;
const say = (text: string): boolean => process.stdout.write(`${text}\n`);

async function searched(weir: WeirService, asked: readonly Asked[]): Promise<Timed[]> {
  const timed: Timed[] = [];
  for (const each of asked) {
    const path = `/v1/events?${new URLSearchParams(each.query).toString()}`;
    const { ms: waitedMs, status, body } = await get<Page>(weir, path);
    const found = status === 200 ? { rows: body.data.length, goesOn: body.next_cursor !== null } : NOTHING;
    timed.push({ ...each, ...found, waitedMs, status });
  }
  return timed;
}

/** A question asked some times: what a client waits in the middle and at most. */
async function asked(weir: WeirService, name: string, paths: readonly string[], mayMs: number): Promise<void> {
  const times: number[] = [];
  let failed = 0;
  for (const path of paths) {
    const answer = await get(weir, path);
    times.push(answer.ms);
    if (answer.status !== 200) failed += 1;
  }
  const most = Math.max(...times);
  const notes = `${most > mayMs ? `, OVER ${ms(mayMs)}` : ''}${failed > 0 ? `, ${failed} FAILED` : ''}`;
  say(`${name}: median ${ms(median(times))}, at most ${ms(most)}${notes}`);
}

function report(timed: readonly Timed[], mayMs: number): void {
  const waits = timed.map(({ waitedMs }) => waitedMs);
  const over = timed
    .filter(({ waitedMs, status }) => waitedMs > mayMs || status !== 200)
    .sort((left, right) => right.waitedMs - left.waitedMs);
  say(
    `${timed.length} filters: p50 ${ms(quantile(waits, 0.5))}, p95 ${ms(quantile(waits, 0.95))}, at most ${ms(quantile(waits, 1))}; ` +
      `${over.length} over ${ms(mayMs)}; ${timed.filter(({ goesOn, rows, query }) => goesOn && rows < Number(query['limit'])).length} pages end early with a cursor`,
  );
  for (const { kind, query, waitedMs, rows, status } of over.slice(0, 25)) {
    say(
      `  ${ms(waitedMs)}, ${status === 200 ? `${rows} rows` : `FAILED with ${status}`}, ${kind}: ${new URLSearchParams(query).toString()}`,
    );
  }
}

await onDatabases(async (name, env) => {
  const now = new Date();
  const seededMs = performance.now();
  let seeded = 0;
  const weir = await startWeir(env, async (database, accountId) => {
    seeded = await seedYear(database, { accountId, events: EVENTS, months: MONTHS, now });
  });
  const factor = name === 'embedded' ? 2 : 1;
  const database = env['DATABASE_URL'] === undefined ? () => 0 : await backendClock(env['DATABASE_URL']);
  try {
    say(
      `\n${name}: ${seeded} events of ${MONTHS} months, seeded in ${((performance.now() - seededMs) / 1000).toFixed(0)} s; ${machineLoad()}; seed ${SEED}`,
    );
    const list = askedOf(SEED, FILTERS, MONTHS, now);
    for (const round of ['first', 'second']) {
      await weir.watch();
      const before = database();
      const timed = await searched(weir, list);
      const { processMs } = await weir.watch();
      report(timed, 300 * factor);
      say(
        `  ${round} round; processor time of one: service ${(processMs / list.length).toFixed(1)} ms, database ${((database() - before) / list.length).toFixed(1)} ms; ${machineLoad()}`,
      );
    }
    const since = (days: number): string => new Date(now.getTime() - days * DAY_MS).toISOString();
    const to = now.toISOString();
    const range = (days: number): string => `from=${since(days)}&to=${to}`;
    for (const days of [1, 7, 30, 90]) {
      const paths = [
        `/v1/stats?${range(days)}`,
        `/v1/stats?${range(days)}&group_by=app&top=5`,
        `/v1/stats?${range(days)}&group_by=rule&top=5`,
      ];
      await asked(weir, `overview of ${days} days, each of its questions`, paths, 300 * factor);
    }
    const { body } = await get<Page>(weir, '/v1/events?limit=20&fields=summary');
    await asked(
      weir,
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
      weir,
      'count',
      some.map((query) => `/v1/events/count?${query}`),
      300 * factor,
    );
    await asked(
      weir,
      'facets',
      some.map((query) => `/v1/events/facets?${query}`),
      300 * factor,
    );
    await asked(weir, 'sessions', ['/v1/sessions?limit=50', `/v1/sessions?limit=50&${range(90)}`], 300 * factor);
  } finally {
    await weir.stop();
  }
});
