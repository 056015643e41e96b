import { minuteText } from '../output/columns.js';
import { plural } from '../output/plural.js';
import { inDays, type ExceptionEntry } from '../../src/authoring/index.js';

/** The number of times that an exception skipped rules, as reported by a service. */
export interface ExceptionUse {
  readonly hits_30d: number | null;
  readonly kept_30d: number | null;
  readonly last_hit: string | null;
}

/** One exception in two lines; a third line shows its use, if known. */
export function exceptionLines(one: ExceptionEntry & Partial<ExceptionUse>, nowMs: number): string[] {
  const end = inDays(Date.parse(one.expires), nowMs);
  const word = one.state === 'expired' ? 'EXPIRED' : one.state === 'later' ? 'expires' : 'EXPIRES';
  const place = one.at === null ? '' : `  ${one.at.file}:${one.at.line}`;
  return [
    `${one.id}  ${one.environment}  ${one.effect} ${one.rules.join(', ')}  ${word} ${end} (${one.expires})${place}`,
    `    ${one.because}  approved by ${one.approved_by}, ${one.ticket}${one.conditional ? '' : ', for every call'}`,
    ...useLine(one),
  ];
}

function useLine({ hits_30d: hits, kept_30d: kept, last_hit: last }: Partial<ExceptionUse>): string[] {
  if (hits === undefined || hits === null) return [];
  const when = last === null || last === undefined ? 'never used' : `last used ${minuteText(last)}`;
  const saved = hits === 0 ? '' : `, ${kept ?? 0} of them would have been refused or redacted`;
  return [`    applied in the last 30 days to ${plural(hits, 'event')}${saved}; ${when}`];
}
