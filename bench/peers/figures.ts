import { median } from '../load.js';

/** One gateway in one round of a contest. */
export interface Round {
  readonly requestsPerSecond: number;
  /** CPU time per call in microseconds, over all processes of the gateway; undefined if the system does not report it. */
  readonly micros?: { readonly main: number; readonly all: number } | undefined;
  /** Milliseconds of each call. */
  readonly timesMs: readonly number[];
  /** Milliseconds until the first byte of each answer. */
  readonly firstMs: readonly number[];
  readonly wrong: number;
  readonly whyWrong?: string | undefined;
  readonly memoryMib?: number | undefined;
  readonly processes: number;
}

/** The median of the rounds with minimum and maximum. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** The figures of a gateway over all rounds. */
export interface Figures {
  readonly name: string;
  /** Number of right answers. */
  readonly calls: number;
  readonly requestsPerSecond: Spread;
  readonly microsMain?: Spread | undefined;
  readonly microsAll?: Spread | undefined;
  readonly p50Ms: number;
  /** Undefined if there were too few calls; `p999Ms` likewise. */
  readonly p99Ms?: number | undefined;
  readonly p999Ms?: number | undefined;
  readonly firstP50Ms: number;
  /** Maximum over the rounds; `processes` likewise. */
  readonly memoryMib?: number | undefined;
  readonly processes: number;
}

/** Replaces the figures of a gateway with wrong answers: a gateway that loses calls is not fast. */
export interface Void {
  readonly name: string;
  readonly void: string;
}

/** Minimum number of calls beyond a quantile for the quantile to be reported. */
const BEYOND = 2;

/**
 * Combines all rounds of a gateway: quantiles over the latencies of all calls, and the spread of the figures with one value per round.
 */
export function figuresOf(name: string, rounds: readonly Round[]): Figures | Void {
  const calls = rounds.reduce((sum, { timesMs }) => sum + timesMs.length, 0);
  const wrong = rounds.reduce((sum, round) => sum + round.wrong, 0);
  if (wrong > 0 || calls === 0) {
    const why = rounds.find(({ whyWrong }) => whyWrong !== undefined)?.whyWrong ?? 'no call was answered';
    return { name, void: `${wrong} of ${calls + wrong} answers were wrong: ${why}` };
  }
  const sorted = (pick: (round: Round) => readonly number[]): number[] =>
    rounds.flatMap((round) => [...pick(round)]).sort((one, other) => one - other);
  const timesMs = sorted((round) => round.timesMs);
  const micros = rounds.flatMap((round) => round.micros ?? []);
  return {
    name,
    calls,
    requestsPerSecond: spreadOf(rounds.map(({ requestsPerSecond }) => requestsPerSecond)),
    ...(micros.length < rounds.length
      ? {}
      : {
          microsMain: spreadOf(micros.map(({ main }) => main)),
          microsAll: spreadOf(micros.map(({ all }) => all)),
        }),
    p50Ms: median(timesMs),
    p99Ms: quantile(timesMs, 0.99),
    p999Ms: quantile(timesMs, 0.999),
    firstP50Ms: median(sorted((round) => round.firstMs)),
    memoryMib: most(rounds.flatMap(({ memoryMib }) => memoryMib ?? [])),
    processes: most(rounds.map(({ processes }) => processes)) ?? 0,
  };
}

/** Ratios of a gateway's figures to those of another, computed per round, since other load affects some rounds. */
export interface Ratio {
  readonly peer: string;
  /** Ratio of the CPU time per call; undefined if the system does not report it. */
  readonly micros?: Spread | undefined;
  readonly requestsPerSecond: Spread;
}

/** @param own rounds of the numerator; each is divided by the peer's round of the same number */
export function ratioOf(peer: string, own: readonly Round[], others: readonly Round[]): Ratio {
  const pairs = own.flatMap((round, nth) => {
    const other = others[nth];
    return other === undefined ? [] : [{ round, other }];
  });
  const micros = pairs.flatMap(({ round, other }) =>
    round.micros === undefined || other.micros === undefined ? [] : [round.micros.all / other.micros.all],
  );
  return {
    peer,
    micros: micros.length === 0 ? undefined : spreadOf(micros),
    requestsPerSecond: spreadOf(pairs.map(({ round, other }) => round.requestsPerSecond / other.requestsPerSecond)),
  };
}

function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

function most(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : Math.max(...values);
}

function quantile(sorted: readonly number[], share: number): number | undefined {
  const beyond = Math.floor(sorted.length * (1 - share));
  return beyond < BEYOND ? undefined : sorted[sorted.length - 1 - beyond];
}
