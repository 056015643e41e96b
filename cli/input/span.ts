import { usageError } from '../exit-code.js';

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};
const MAX_MS = 3_660 * 86_400_000;

/** A span of time such as `90s`, `24h` or `7d`, in milliseconds; undefined for any other text. */
export function spanIn(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS_MS[unit ?? ''] ?? Number.NaN);
  return ms >= 0 && ms <= MAX_MS ? ms : undefined;
}

/**
 * A span of time, in milliseconds; see `spanIn`.
 *
 * @throws CliError (exit 2) naming the flag
 */
export function spanMs(text: string, flag: string): number {
  const ms = spanIn(text);
  if (ms === undefined) throw usageError(`${flag} takes a span of time such as 90s, 24h or 7d`);
  return ms;
}
