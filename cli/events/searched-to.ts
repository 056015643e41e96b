import { z } from 'zod';

/** The time that a search had reached when the service ended it, in the output of `--json`. */
export const SEARCHED_TO = z
  .string()
  .nullable()
  .describe(
    'RFC 3339, UTC: only events received since this time are counted; null: counting was not stopped early; see `capped` or `sampled`.',
  );

/** The end of the closing line of a search that took too long; '' for another one. The time is in the form that `--since` takes. */
export function stoppedAt(searchedTo: string | null): string {
  if (searchedTo === null) return '';
  const at = searchedTo.replace(/[\p{Cc}\p{Cf}]/gu, ' ');
  return `, received since ${at}; earlier ones are not counted, because counting them takes too long: set --since`;
}
