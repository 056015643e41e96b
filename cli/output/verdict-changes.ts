import type { DescribedRequest, SearchReport, Verdict, VerdictChange } from '../../src/core/index.js';

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

/** `block → allow`; where the action stays, what else differs. */
export function verdictLine({ before, after }: Pick<VerdictChange, 'before' | 'after'>): string {
  const [from, to] = [outcome(before), outcome(after)];
  if (from !== to) return `${from} → ${to}`;
  return `${from}, ${firstDifference(before, after)}`;
}

function outcome({ action, unavailable, enforced }: Verdict): string {
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

/** How far a search looked, for a reader who wants to know what no change means. */
export function searchLines(searched: readonly SearchReport[], changedDetectors: readonly string[]): string[] {
  return [
    ...searched.map(({ stage, requests, enumerated, sampled, openFacts, complete }) => {
      const how = [
        complete
          ? 'every combination of boundary values'
          : `all boundary values of ${count(enumerated.length, 'rule')}`,
        ...(sampled.length === 0 ? [] : [`sampled for ${sampled.join(', ')}`]),
        ...(openFacts.length === 0 ? [] : [`values of ${openFacts.join(', ')} are samples`]),
      ];
      return `stage ${stage}: ${count(requests, 'request')} judged, ${how.join('; ')}`;
    }),
    ...changedDetectors.map(
      (key) =>
        `detector ${key} is configured otherwise: what it finds in a text is not compared, weir test --detectors live is`,
    ),
  ];
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}
