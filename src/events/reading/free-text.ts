/** Free-text search in stored texts. */
import { storable } from '../search-index.js';
import type { Conditions } from './event-filters.js';

/** Letters of other scripts keep their case apart from these by rules of a language. */
const ASCII = /^[\u0020-\u007e]*$/;

/**
 * Whether payload or metadata of the alias have the text. Plain letters are compared without the rules of a language, which
 * takes a tenth of the time.
 */
export function textMatch(alias: string, text: string, where: Conditions): string {
  const pattern = where.parameter(likePattern(text));
  const plain = ASCII.test(text) ? ' COLLATE "C"' : '';
  const has = (column: string): string => `coalesce(${alias}.${column}::text${plain} ILIKE ${pattern}, false)`;
  return `(${has('payload')} OR ${has('metadata')})`;
}

/** Looked for as it stands in JSON text: quotes and line breaks escaped, and LIKE's own signs taken literally. */
function likePattern(text: string): string {
  const inJson = JSON.stringify(storable(text)).slice(1, -1);
  return `%${inJson.replace(/[\\%_]/g, '\\$&')}%`;
}
