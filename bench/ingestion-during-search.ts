import { median, round, type Load } from './load.js';
import { processTime } from './processor-time.js';
import { askedOf } from './search-filters.js';
import { submittedRequests } from './usual-calls.js';
import { numberOption } from './options.js';
import { type WeirService } from './weir-service.js';

/**
 * Measures whether ingestion slows down while a person uses the dashboard: alternating rounds of the same load, with
 * and without a person who opens a page every few seconds. With the embedded database, one process does both.
 *
 * `npm run bench -- search --while-looking --database embedded --events 100000 [--rounds 6] [--seconds 10]
 * [--look-every 5]`
 */
const ROUNDS = numberOption('rounds', 6);
const SECONDS = numberOption('seconds', 10);
/** Seconds between two opened pages. */
const LOOK_EVERY = numberOption('look-every', 5);
const CONNECTIONS = 8;
const MAY_SLOW_PERCENT = 10;
const DAY_MS = 86_400_000;

/** Paths that a page requests concurrently. */
type Page = readonly string[];

interface Round {
  readonly eventsPerSecond: number;
  readonly p99Ms: number;
  /** Total CPU time of the service per event in microseconds, including that for the pages. */
  readonly microsPerEvent: number;
  /** Waiting time of each page. */
  readonly waitedMs: readonly number[];
}

/** Pages that a person opens: one third are the overview, the others are lists with a filter. */
function pagesOf(months: number, now: Date): Page[] {
  return askedOf(1, 30, months, now).map(({ query }, index) => {
    const range = `from=${new Date(now.getTime() - [1, 7, 30][index % 3]! * DAY_MS).toISOString()}&to=${now.toISOString()}`;
    if (index % 3 === 0) {
      return ['group_by=outcome', 'group_by=app&top=5', 'group_by=model&top=5']
        .map((group) => `/v1/stats?${range}&${group}`)
        .concat('/v1/attention');
    }
    const { limit, fields, order: _order, ...filters } = query;
    const shown = { ...(limit === undefined ? {} : { limit }), ...(fields === undefined ? {} : { fields }) };
    const asked = new URLSearchParams(filters).toString();
    return [
      `/v1/events?${new URLSearchParams({ ...filters, ...shown }).toString()}`,
      `/v1/events/count?${asked}`,
      `/v1/events/facets?${asked}`,
      `/v1/stats?${range}`,
    ];
  });
}

/** Opens pages until `isOver`. @returns the waiting time of each */
async function look(weir: WeirService, next: () => Page, isOver: () => boolean): Promise<number[]> {
  const waitedMs: number[] = [];
  while (!isOver()) {
    const startedMs = performance.now();
    await Promise.all(
      next().map(async (path) => {
        const response = await fetch(`${weir.url}${path}`, { headers: { authorization: `Bearer ${weir.token}` } });
        await response.arrayBuffer();
        if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
      }),
    );
    waitedMs.push(performance.now() - startedMs);
    const restMs = startedMs + LOOK_EVERY * 1_000 - performance.now();
    for (let slept = 0; slept < restMs && !isOver(); slept += 100) await new Promise((done) => setTimeout(done, 100));
  }
  return waitedMs;
}

const figures = (rounds: readonly Round[]): string =>
  `${median(rounds.map(({ eventsPerSecond }) => eventsPerSecond)).toFixed(0)} events/s, ` +
  `p99 ${median(rounds.map(({ p99Ms }) => p99Ms)).toFixed(0)} ms, ` +
  `${median(rounds.map(({ microsPerEvent }) => microsPerEvent)).toFixed(0)} µs of CPU time per event`;

/** @returns the report, and whether ingestion slowed down by more than the limit */
export async function ingestionDuringSearch(
  weir: WeirService,
  months: number,
  now: Date,
): Promise<{ text: string; isOver: boolean }> {
  const load: Load = {
    url: `${weir.url}/v1/events`,
    headers: { authorization: `Bearer ${await weir.newKey('while-looking')}` },
    next: submittedRequests(),
  };
  const pages = pagesOf(months, now);
  let opened = 0;
  const next = (): Page => pages[opened++ % pages.length]!;
  const measured = async (isLooking: boolean): Promise<Round> => {
    let isOver = false;
    const before = processTime(weir.pid);
    const looking = isLooking ? look(weir, next, () => isOver) : Promise.resolve([]);
    const { requestsPerSecond, p99Ms, calls } = await round(load, CONNECTIONS, SECONDS);
    const after = processTime(weir.pid);
    isOver = true;
    const microsPerEvent = ((after?.all ?? 0) - (before?.all ?? 0)) / calls;
    return { eventsPerSecond: requestsPerSecond, p99Ms, microsPerEvent, waitedMs: await looking };
  };
  await round(load, CONNECTIONS, 3);
  const alone: Round[] = [];
  const looked: Round[] = [];
  for (let index = 0; index < ROUNDS; index++) {
    // The order alternates, since the stored data grows with each round.
    for (const isLooking of index % 2 === 0 ? [false, true] : [true, false]) {
      (isLooking ? looked : alone).push(await measured(isLooking));
    }
  }
  const slower = alone.map(
    ({ eventsPerSecond }, index) => 100 * (1 - looked[index]!.eventsPerSecond / eventsPerSecond),
  );
  const percent = median(slower);
  const waited = looked.flatMap(({ waitedMs }) => waitedMs);
  const isOver = percent > MAY_SLOW_PERCENT;
  return {
    isOver,
    text: [
      `without a user: ${figures(alone)}`,
      `with a user:    ${figures(looked)}; ${waited.length} pages, one every ${LOOK_EVERY} s, median wait ${median(waited).toFixed(0)} ms`,
      `ingest is slower by ${percent.toFixed(1)} % (rounds: ${slower.map((each) => each.toFixed(1)).join(', ')}), ` +
        `${isOver ? 'MORE than' : 'at most'} ${MAY_SLOW_PERCENT} % are allowed`,
    ].join('\n'),
  };
}
