import { STAGES } from '../model/fact.js';
import type { ExceptionSource } from './compile-exceptions.js';
import type { RuleSource } from './compile-rules.js';
import type { NormalCondition } from './condition-tree.js';
import { exceptionRuleName } from './engine-rules.js';
import type { LeafPlace, PolicySources, RulePlace, SourcePlace } from '../model/policy-sources.js';
import type { ResolvedPolicy } from './resolve.js';
import { entryOf, nodeAt, valueOf, type Entry, type Node, type Span } from './source/node.js';
import { lengthOf, positionOf } from './source/problems.js';

const RULE_FIELDS = [
  'title',
  'stage',
  'severity',
  'mode',
  'review_by',
  'message',
  'when',
  'on_unknown',
  'rollout.percent',
  'then.action',
  'then.reason',
  'then.detail',
  'then.answer',
  'then.redact.entities',
  'then.redact.tokens',
  'then.redact.restore',
  'then.redact.with',
  'then.redact.label',
  'rules',
  'effect',
  'expires',
] as const;

const SETTINGS = [
  ['default'],
  ['mode'],
  ['client_monitor_mode'],
  ['content'],
  ['retention', 'content'],
  ['retention', 'records'],
  ['media'],
  ['unread', 'governed'],
  ['unread', 'other'],
  ['unmaskable', 'documents'],
  ['unmaskable', 'signed'],
  ['on_disconnect'],
  ['on_blocked_history'],
  ['default_max_tokens'],
  ['defaults', 'on_unknown'],
  ...STAGES.map((stage) => ['stages', stage, 'deadline_ms']),
] as const;

/** The positions of a policy's parts in its files. Names are own keys of objects without a prototype. */
export function sourcesOf(
  resolved: ResolvedPolicy,
  rules: readonly RuleSource[],
  exceptions: readonly ExceptionSource[],
): PolicySources {
  const leaves: [string, LeafPlace][] = [];
  for (const { rule, condition } of rules) collectLeaves(rule.id, condition, [], leaves);
  for (const { exception, condition } of exceptions) {
    if (condition !== undefined) collectLeaves(exceptionRuleName(exception.id), condition, [], leaves);
  }
  return {
    rules: record(rules.map(({ rule, node, overrides }) => [rule.id, rulePlace(node, overrides)])),
    leaves: record(leaves.map(([name, place]) => [name, place])),
    exceptions: record(exceptions.map(({ exception, node }) => [exception.id, rulePlace(node, [])])),
    lists: record(
      [...resolved.listSpans].map(([name, entries]) => [
        name,
        record([...entries].map(([entry, span]) => [String(entry), placeOf(span)])),
      ]),
    ),
    settings: record([
      ...SETTINGS.flatMap((path) => {
        const node = resolved.setting(...path);
        return node === undefined ? [] : [[path.join('.'), placeOf(node.span)] as const];
      }),
      ...holdPlaces(resolved),
      ...partPlaces(resolved),
    ]),
  };
}

/** Positions of legal holds, by their ids. */
function holdPlaces({ setting }: ResolvedPolicy): (readonly [string, SourcePlace])[] {
  const holds = setting('retention', 'holds');
  return (holds?.kind === 'seq' ? holds.items : []).flatMap((hold) => {
    const id = valueOf(hold, 'id');
    if (id?.kind !== 'scalar') return [];
    return ['match', 'until'].flatMap((key) => {
      const value = valueOf(hold, key);
      return value === undefined ? [] : [[`retention.holds.${String(id.value)}.${key}`, placeOf(value.span)] as const];
    });
  });
}

/** Positions of budgets, prices and detectors, and of the fields below them. */
function partPlaces({ budgets, prices, detectors }: ResolvedPolicy): (readonly [string, SourcePlace])[] {
  return [
    ...budgets.flatMap(({ node }) => {
      const id = valueOf(node, 'id');
      return id?.kind === 'scalar' ? placesBelow(`budgets.${String(id.value)}`, node) : [];
    }),
    ...[...prices].flatMap(([model, node]) => placesBelow(`prices.${model}`, node)),
    ...detectors.flatMap(({ key, keySpan, entries, codes }) => [
      [`detectors.${key}`, placeOf(keySpan)] as const,
      ...entries.flatMap((entry) => placesBelow(`detectors.${key}.${entry.key}`, entry.value)),
      ...codes.map(({ node }) => [`detectors.${key}.codes`, placeOf(node.span)] as const),
    ]),
  ];
}

/** A list of plain values counts as one position. */
function placesBelow(name: string, node: Node): (readonly [string, SourcePlace])[] {
  const own = [name, placeOf(node.span)] as const;
  if (node.kind === 'map')
    return [own, ...node.entries.flatMap(({ key, value }) => placesBelow(`${name}.${key}`, value))];
  if (node.kind === 'scalar' || node.items.every(({ kind }) => kind === 'scalar')) return [own];
  return [own, ...node.items.flatMap((item, index) => placesBelow(`${name}[${index}]`, item))];
}

/** Line, column and marked length of a span. */
export function placeOf(span: Span): SourcePlace {
  return { file: span.source.path, ...positionOf(span), length: lengthOf(span) };
}

function record<T>(entries: readonly (readonly [string, T])[]): Readonly<Record<string, T>> {
  const made = Object.create(null) as Record<string, T>;
  for (const [name, value] of entries) made[name] = value;
  return made;
}

function rulePlace(node: Node, overrides: readonly { readonly span: Span; readonly because: string }[]): RulePlace {
  const entities = nodeAt(node, 'then', 'redact', 'entities');
  return {
    at: placeOf((valueOf(node, 'id') ?? node).span),
    lines: linesOf(node.span),
    fields: record(
      RULE_FIELDS.flatMap((path) => {
        const entry = entryAt(node, path.split('.'));
        return entry === undefined ? [] : [[path, fieldPlace(entry)] as const];
      }),
    ),
    entities: record(
      (entities?.kind === 'seq' ? entities.items : []).flatMap((item) =>
        item.kind === 'scalar' ? [[String(item.value), placeOf(item.span)] as const] : [],
      ),
    ),
    overrides: overrides.map(({ span, because }) => ({ at: placeOf(span), because })),
  };
}

/** The span of a map that ends with a block includes the blank lines after it, which do not belong to the map. */
function linesOf(span: Span): { first: number; last: number } {
  const { source, start, end } = span;
  const written = source.text.slice(start, end).trimEnd().length;
  const last = positionOf({ source, start: start + Math.max(0, written - 1), end }).line;
  return { first: positionOf(span).line, last };
}

/** The position of a scalar is the scalar itself; for a map or a list it is the key, which is more helpful in messages. */
function fieldPlace({ keySpan, value }: Entry): SourcePlace {
  return placeOf(value.kind === 'scalar' ? value.span : keySpan);
}

function entryAt(node: Node, path: readonly string[]): Entry | undefined {
  return entryOf(nodeAt(node, ...path.slice(0, -1)), path.at(-1)!);
}

/** Collects the leaves of a condition in order. Their names contain their number: `rule#1`. */
function collectLeaves(
  id: string,
  condition: NormalCondition,
  use: readonly string[],
  into: [string, LeafPlace][],
  counter = { leaf: 0 },
): void {
  if (condition.kind === 'leaf') {
    counter.leaf += 1;
    into.push([`${id}#${counter.leaf}`, { at: placeOf(condition.span), use }]);
    return;
  }
  const inner = condition.name === undefined ? use : [...use, condition.name];
  for (const item of condition.items) collectLeaves(id, item, inner, into, counter);
}
