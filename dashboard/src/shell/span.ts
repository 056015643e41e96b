/** Time ranges of queries. A relative range moves on, but its key does not: the data of its earlier position is still shown. */

const MINUTE_MS = 60_000;

export interface Times {
  readonly from?: string;
  readonly to?: string;
}

export interface Span {
  /** Identifies the range in the keys of queries. */
  readonly key: string;
  /** The interval at which its data is requested again; false if the range has an end, because then no data is added. */
  readonly everyMs: number | false;
  /** The parameters of a request that is sent now. */
  readonly times: () => Times;
}

/**
 * Parameters of a link from figures to the calls that they count. Figures are sums of whole buckets, so their range may begin before the
 * selected one. A range that ends now remains open.
 *
 * @param counted the range of the figures
 * @param selectedEnd the end of the selected range
 */
export function linkedTimes(
  { from, to }: Required<Times>,
  selectedEnd: string | undefined,
): Times & { readonly range: undefined } {
  return { range: undefined, from, to: selectedEnd === undefined ? undefined : to };
}

/** Without limits. */
export const ALL_TIME: Span = { key: 'all', everyMs: MINUTE_MS, times: () => ({}) };

/** @param unitMs the beginning of the range is rounded to this unit, and its data is requested again after this time */
export function lastSeconds(seconds: number, unitMs = MINUTE_MS, nowMs: () => number = Date.now): Span {
  return {
    key: `last ${seconds} s`,
    everyMs: unitMs,
    times: () => ({ from: new Date(Math.floor(nowMs() / unitMs) * unitMs - seconds * 1000).toISOString() }),
  };
}

export function fixedSpan(from: string, to: string | undefined): Span {
  return {
    key: `${from} to ${to ?? 'now'}`,
    everyMs: to === undefined ? MINUTE_MS : false,
    times: () => ({ from, to }),
  };
}
