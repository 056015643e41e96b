/** Describes requests and verdicts of a comparison as text for people. */
import type { VerdictChange } from './compare-verdicts.js';
import type { DescribedRequest } from './describe-request.js';
import type { Verdict } from './verdict.js';

/** A request in one line: `tool.name=run_shell  pii finds EMAIL  secrets down`. */
export function requestLine({ facts, findings, unavailable, at, monitorMode, alike }: DescribedRequest): string {
  const parts = [
    ...Object.entries(facts).map(([name, value]) => `${name}=${shown(value)}${alikeNote(alike[name])}`),
    ...Object.entries(findings).map(
      ([detector, found]) => `${detector} finds ${findingsLine(found)}${alikeNote(alike[detector])}`,
    ),
    ...unavailable.map((source) => `${source} down`),
    ...(monitorMode === true ? ['monitor_mode'] : []),
    ...(at === undefined ? [] : [`at ${at}`]),
  ];
  return parts.length === 0 ? 'any request' : parts.join('  ');
}

function shown(value: unknown): string {
  if (value === null) return 'absent';
  return typeof value === 'string' && /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value);
}

function findingsLine(found: DescribedRequest['findings'][string]): string {
  if (found.length === 0) return 'nothing';
  const counts = new Map<string, number>();
  for (const { code, score } of found) {
    const name = score === 1 ? code : `${code} (score ${score})`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => (count === 1 ? name : `${count} × ${name}`)).join(', ');
}

function alikeNote(others: readonly string[] | undefined): string {
  if (others === undefined || others.length === 0) return '';
  const named = others.slice(0, 3).join(', ');
  return others.length > 3 ? ` (like ${named} and ${others.length - 3} more)` : ` (like ${named})`;
}

/** A change in one line: `block → allow`, or, if the action is the same, the first other difference. */
export function verdictLine({ before, after }: Pick<VerdictChange, 'before' | 'after'>): string {
  const [from, to] = [outcomeWord(before), outcomeWord(after)];
  if (from !== to) return `${from} → ${to}`;
  return `${from}, ${firstDifference(before, after)}`;
}

/** The action in one word; `flag` if only flags are enforced, `block (outage)` for an outage. */
export function outcomeWord({ action, unavailable, enforced }: Verdict): string {
  if (action === 'block') return unavailable ? 'block (outage)' : 'block';
  return action === 'allow' && enforced.length > 0 ? 'flag' : action;
}

function firstDifference(before: Verdict, after: Verdict): string {
  for (const key of ['reason', 'masked', 'enforced', 'reported', 'exceptions'] as const) {
    const [from, to] = [list(before[key]), list(after[key])];
    if (from !== to) return `${key} ${from} → ${to}`;
  }
  return 'the same';
}

function list(value: string | readonly string[] | undefined): string {
  if (value === undefined) return 'none';
  if (typeof value === 'string') return value;
  return value.length === 0 ? 'none' : value.join(', ');
}
