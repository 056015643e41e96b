import type { PolicyDocument } from './documents.js';
import { OVERRIDE, REDACT, RULE, THEN } from './policy-format.js';
import { valueOf, type Entry, type MapNode, type Node, type Span } from './source/node.js';
import type { Problems } from './source/problems.js';

/** An override that was applied to a rule. */
export interface AppliedOverride {
  readonly span: Span;
  readonly because: string;
  /** The place of the name of the rule. */
  readonly ruleSpan: Span;
  /** `weakens: true`: the author knows that the rule may become weaker. */
  readonly weakens: boolean;
  /** The rule before and after this override. */
  readonly before: MapNode;
  readonly after: MapNode;
}

interface RuleItem {
  readonly node: MapNode;
  readonly policy: string;
  readonly overrides?: readonly AppliedOverride[];
}

interface AppliedPath {
  readonly document: PolicyDocument;
  readonly path: string;
}

/** Limits the cost: every override of a rule is compared with all others of that rule. */
const MAX_PATHS = 200;

/**
 * Applies the overrides of all documents to the rules. Each must name an existing rule and existing fields: otherwise it would look
 * like a change but have no effect. Nodes are replaced, never changed; new nodes keep the positions of the override.
 */
export function applyOverrides<T extends RuleItem>(
  rules: readonly T[],
  documents: readonly PolicyDocument[],
  problems: Problems,
): T[] {
  const byId = new Map(rules.map((rule) => [idOf(rule.node), rule]));
  const former = formerIds(rules);
  const applied = new Map<string, AppliedPath[]>();
  for (const document of documents) {
    const list = valueOf(document.root, 'overrides');
    for (const item of list?.kind === 'seq' ? list.items : []) {
      const override = OVERRIDE.read(item, problems);
      if (override === undefined || item.kind !== 'map') continue;
      const id = byId.has(override.rule) ? override.rule : former.get(override.rule);
      const rule = id === undefined ? undefined : byId.get(id);
      if (id === undefined || rule === undefined) {
        const hint = problems.suggest(override.rule, byId.keys());
        problems.add('G020', valueOf(item, 'rule')!.span, `there is no rule "${override.rule}" to override`, hint);
        continue;
      }
      const paths = applied.get(id) ?? [];
      applied.set(id, paths);
      const changed = applySet(rule.node, override.set, document, paths, problems);
      const made: AppliedOverride = {
        span: item.span,
        because: override.because,
        ruleSpan: (valueOf(item, 'rule') ?? item).span,
        weakens: override.weakens === true,
        before: rule.node,
        after: changed,
      };
      byId.set(id, { ...rule, node: changed, overrides: [...(rule.overrides ?? []), made] });
    }
  }
  return rules.map((rule) => byId.get(idOf(rule.node)) ?? rule);
}

function idOf(node: MapNode): string {
  const id = valueOf(node, 'id');
  return id?.kind === 'scalar' && typeof id.value === 'string' ? id.value : '';
}

/** Maps former rule ids to current ones. */
export function formerIds(rules: readonly RuleItem[]): Map<string, string> {
  const result = new Map<string, string>();
  for (const { node } of rules) {
    const names = valueOf(node, 'formerly');
    for (const name of names?.kind === 'seq' ? names.items : []) {
      if (name.kind === 'scalar' && typeof name.value === 'string') result.set(name.value, idOf(node));
    }
  }
  return result;
}

function applySet(
  rule: MapNode,
  set: Node,
  document: PolicyDocument,
  applied: AppliedPath[],
  problems: Problems,
): MapNode {
  if (set.kind !== 'map' || set.entries.length === 0) {
    problems.add('G007', set.span, 'expected a map from field paths to values, such as { then.action: block }');
    return rule;
  }
  let changed = rule;
  for (const { key, keySpan: span, value } of set.entries) {
    if (applied.length >= MAX_PATHS) {
      problems.add('G010', span, `a rule is overridden in more than ${MAX_PATHS} places`, 'write a rule of your own');
      return changed;
    }
    const rival = applied.find((other) => overlaps(other.path, key) && isRival(other, document));
    if (rival !== undefined) {
      problems.add('G022', span, `"${key}" is also overridden in ${rival.document.path}`, 'keep one of the two');
      continue;
    }
    applied.push({ document, path: key });
    const result =
      key === 'id' ? 'the id of a rule never changes' : replaceAt(changed, key, value, RULE.fields, problems);
    if (typeof result !== 'string') changed = result as MapNode;
    else problems.add('G021', span, `"${key}" cannot be overridden: ${result}`);
  }
  return changed;
}

/**
 * Whether two overlapping overrides conflict. A document wins over its bases; within one document, or between unrelated ones, there is
 * no order.
 */
function isRival(other: AppliedPath, document: PolicyDocument): boolean {
  return other.document === document || !document.bases.has(other.document.path);
}

function overlaps(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`);
}

type KnownFields = Readonly<Record<string, unknown>>;

/** Keys that an override can add to a rule, by the name of the field that contains them. */
const NESTED: Readonly<Record<string, KnownFields>> = { then: THEN.fields, redact: REDACT.fields };

/** Returns a copy of `node` with the value at `path` replaced, or a message about the problem. Keys may themselves contain dots. */
function replaceAt(
  node: Node,
  path: string,
  value: Node,
  known: KnownFields | undefined,
  problems: Problems,
): Node | string {
  if (node.kind === 'scalar') return `this value has no fields`;
  if (node.kind === 'seq') return replaceItem(node, path, value, problems);
  const entry = node.entries
    .filter(({ key }) => path === key || path.startsWith(`${key}.`))
    .sort((a, b) => b.key.length - a.key.length)[0];
  if (entry === undefined) {
    if (known !== undefined && Object.hasOwn(known, path)) {
      return { ...node, entries: [...node.entries, { key: path, keySpan: value.span, value }] };
    }
    const names = [...node.entries.map(({ key }) => key), ...Object.keys(known ?? {})];
    return `there is no such field${suffix(problems.suggest(path, names))}`;
  }
  const rest = path.slice(entry.key.length + 1);
  const below = Object.hasOwn(NESTED, entry.key) ? NESTED[entry.key] : undefined;
  const replaced = rest === '' ? changeValue(entry.value, value) : replaceAt(entry.value, rest, value, below, problems);
  if (typeof replaced === 'string') return replaced;
  return {
    ...node,
    entries: node.entries.map((other): Entry => (other === entry ? { ...entry, value: replaced } : other)),
  };
}

function replaceItem(node: Node & { kind: 'seq' }, path: string, value: Node, problems: Problems): Node | string {
  const [index = '', ...rest] = path.split('.');
  const item = /^\d{1,6}$/.test(index) ? node.items[Number(index)] : undefined;
  if (item === undefined) return `there is no entry ${index}: entries are numbered from 0 to ${node.items.length - 1}`;
  const replaced =
    rest.length === 0 ? changeValue(item, value) : replaceAt(item, rest.join('.'), value, undefined, problems);
  if (typeof replaced === 'string') return replaced;
  return { ...node, items: node.items.map((other) => (other === item ? replaced : other)) };
}

function suffix(hint: string | undefined): string {
  return hint === undefined ? '' : `; ${hint}`;
}

/** A new value, or `{ add, remove }` for an existing list. */
function changeValue(before: Node, value: Node): Node | string {
  if (before.kind !== 'seq' || value.kind !== 'map') return value;
  const odd = value.entries.find(({ key }) => key !== 'add' && key !== 'remove');
  if (odd !== undefined || value.entries.length === 0) return 'a list is changed by { add: […] } and { remove: […] }';
  const changes = value.entries.map((entry) => entry.value);
  if (changes.some((change) => change.kind !== 'seq')) return 'add and remove need lists';
  const removed = itemsOf(valueOf(value, 'remove'));
  const missing = removed.find((item) => !before.items.some((other) => isSame(other, item)));
  if (missing !== undefined) return 'the list does not contain an entry to remove';
  const kept = before.items.filter((item) => !removed.some((gone) => isSame(gone, item)));
  const added = itemsOf(valueOf(value, 'add')).filter((item) => !kept.some((other) => isSame(other, item)));
  return { ...before, items: [...kept, ...added] };
}

function itemsOf(node: Node | undefined): readonly Node[] {
  return node?.kind === 'seq' ? node.items : [];
}

function isSame(a: Node, b: Node): boolean {
  return a.kind === 'scalar' && b.kind === 'scalar' && a.value === b.value;
}
