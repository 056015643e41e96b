/** The goals of the retention: how fast events leave the log, and how little events that are stored at the same time notice of it. */

/** Work of the retention, and events stored meanwhile and then for the same time without it. */
export interface WorkBeside {
  readonly name: string;
  /** Time until the events were gone from the log; undefined if the work removes none. */
  readonly goneMs: number | undefined;
  /** The 99th percentile of the durations of stored events; undefined if none was stored. */
  readonly p99Ms: { readonly beside: number | undefined; readonly alone: number | undefined };
}

/** A month is four weeks, so each week has its share of this time. */
const MONTH_MS = 2_000;
const WEEKS_OF_MONTH = 4;
/** Limits of the ratio of the 99th percentiles, beside the work and alone. */
const LOWEST = 0.8;
const HIGHEST = 1.2;

/** The missed goals, one line for each. @param weeks the number of weeks that each work deletes */
export function missedGoals(works: readonly WorkBeside[], weeks: number): string[] {
  return works.flatMap((work) => [...missedTime(work, weeks), ...missedRatio(work)]);
}

function missedTime({ name, goneMs }: WorkBeside, weeks: number): string[] {
  const mostMs = (MONTH_MS * weeks) / WEEKS_OF_MONTH;
  if (goneMs === undefined || goneMs <= mostMs) return [];
  return [`${name}: gone from the log after ${inSeconds(goneMs)}, at most ${inSeconds(mostMs)}`];
}

function missedRatio({ name, p99Ms: { beside, alone } }: WorkBeside): string[] {
  if (beside === undefined || alone === undefined) return [`${name}: no event was stored, so nothing can be compared`];
  const ratio = beside / alone;
  if (ratio >= LOWEST && ratio <= HIGHEST) return [];
  return [`${name}: p99 of stored events is ${ratio.toFixed(2)} times that without it, not ${LOWEST} to ${HIGHEST}`];
}

const inSeconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;
