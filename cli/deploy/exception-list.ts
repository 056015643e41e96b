import { inDays, type ExceptionEntry } from '../../src/core/index.js';

/** One exception in two lines. */
export function exceptionLines(one: ExceptionEntry, nowMs: number): string[] {
  const end = inDays(Date.parse(one.expires), nowMs);
  const word = one.state === 'expired' ? 'EXPIRED' : one.state === 'later' ? 'expires' : 'EXPIRES';
  const place = one.at === null ? '' : `  ${one.at.file}:${one.at.line}`;
  return [
    `${one.id}  ${one.environment}  ${one.effect} ${one.rules.join(', ')}  ${word} ${end} (${one.expires})${place}`,
    `    ${one.because}  approved by ${one.approved_by}, ${one.ticket}${one.conditional ? '' : ', for every call'}`,
  ];
}
