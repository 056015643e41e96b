/** Text that is looked for in what is stored. */
import { storable } from '../search-index.js';

/** It is looked for in this many events that match the other filters; the next page goes on after them. */
export const TEXT_SCAN_EVENTS = 2_000;

/** Whether payload or metadata of the alias have the pattern. */
export function textMatch(alias: string, pattern: string): string {
  return `(coalesce(${alias}.payload::text ILIKE ${pattern}, false) OR coalesce(${alias}.metadata::text ILIKE ${pattern}, false))`;
}

/** Looked for as it stands in JSON text: quotes and line breaks escaped, and LIKE's own signs taken literally. */
export function likePattern(text: string): string {
  const inJson = JSON.stringify(storable(text)).slice(1, -1);
  return `%${inJson.replace(/[\\%_]/g, '\\$&')}%`;
}
