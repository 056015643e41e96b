import { renderPolicy, renderRule } from '../../src/authoring/index.js';
import type { CompiledPolicy, SourcePlace } from '../../src/core/index.js';
import { lineDiff, type LineChange } from './line-diff.js';

/** One part of a resolved policy that has changed. */
export interface PolicyChange {
  /** `rules.<id>`, `lists.<name>`, or a section: `settings`, `detectors`, `exceptions`, `budgets`, `prices`. */
  readonly part: string;
  /** Its current place; the former place of a removed part. */
  readonly at?: SourcePlace;
  /** Only lines that differ. */
  readonly lines: readonly LineChange[];
}

/** The textual differences of two resolved policies, by rule, list and section. */
export function policyChanges(base: CompiledPolicy | undefined, next: CompiledPolicy | undefined): PolicyChange[] {
  const changes: PolicyChange[] = [];
  const add = (part: string, before: readonly string[], after: readonly string[], at?: SourcePlace): void => {
    const lines = lineDiff(before, after).filter(({ kind }) => kind !== ' ');
    if (lines.length > 0) changes.push({ part, lines, ...(at !== undefined && { at }) });
  };
  const [old, current] = [renderedLines(base), renderedLines(next)];
  const addSection = (name: string): void => add(name, sectionOf(old, name), sectionOf(current, name));
  addSection('settings');
  addSection('detectors');
  for (const name of namesOf(base?.lists, next?.lists)) {
    const entries = (policy: CompiledPolicy | undefined): string[] =>
      (policy?.lists[name] ?? []).map((entry) => inOneLine(String(entry))).sort();
    add(`lists.${name}`, entries(base), entries(next), firstPlace((next ?? base)?.sources.lists[name]));
  }
  const ids = new Set([base, next].flatMap((policy) => policy?.rules.map(({ id }) => id) ?? []));
  for (const id of [...ids].sort()) {
    const place = next?.sources.rules[id] ?? base?.sources.rules[id];
    add(`rules.${id}`, ruleLines(base, id), ruleLines(next, id), place?.at);
  }
  for (const section of ['exceptions', 'budgets', 'prices']) addSection(section);
  return changes;
}

/** Escapes control characters in an entry: a line break would end its line, or the surrounding code block. */
function inOneLine(entry: string): string {
  return entry.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (letter) => `\\u{${letter.codePointAt(0)?.toString(16)}}`);
}

function firstPlace(places: Readonly<Record<string, SourcePlace>> | undefined): SourcePlace | undefined {
  return places === undefined ? undefined : Object.values(places)[0];
}

function namesOf(...records: readonly (object | undefined)[]): string[] {
  return [...new Set(records.flatMap((record) => Object.keys(record ?? {})))].sort();
}

function ruleLines(policy: CompiledPolicy | undefined, id: string): string[] {
  const rule = policy?.rules.find((one) => one.id === id);
  return policy === undefined || rule === undefined ? [] : renderRule(rule, policy).map(({ text }) => text.slice(4));
}

function renderedLines(policy: CompiledPolicy | undefined): string[] {
  return policy === undefined ? [] : renderPolicy(policy).map(({ text }) => text);
}

/** The lines of a top-level section of the rendered policy; `settings` are those before the first section. */
function sectionOf(lines: readonly string[], name: string): string[] {
  const from = name === 'settings' ? 0 : lines.indexOf(`${name}:`);
  if (from === -1) return [];
  const end = lines.indexOf('', from);
  return lines.slice(from, end === -1 || name === 'exceptions' ? undefined : end).filter((line) => line !== '');
}
