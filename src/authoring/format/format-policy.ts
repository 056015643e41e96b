import {
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  parseDocument,
  type Document,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { RAW_OPERATORS } from '../../core/policy/parse-leaf.js';
import { Problems } from '../../core/policy/source/problems.js';
import { readYaml } from '../../core/policy/source/read-yaml.js';
import type { PolicyProblem } from '../../core/model/compiled-policy.js';
import { sortedEntries } from '../../core/policy/resolve.js';
import { KEY_ORDERS } from './key-order.js';

export type FormatResult =
  | { readonly kind: 'formatted'; readonly text: string }
  /** The text could not be parsed, so it was not changed. */
  | { readonly kind: 'unreadable'; readonly problems: readonly PolicyProblem[] }
  /** The result was discarded, because it would have had a different meaning, lost a comment, or changed when formatted again. */
  | { readonly kind: 'unsafe' };

/**
 * Brings a policy, test or project file into canonical form: fixed order of keys, lists one entry per line and sorted, conditions in
 * the engine's own form converted to that of policies, uniform white space. Rules and conditions keep their order, which reviewers rely
 * on. Comments stay next to the parts that they describe. Formatting never changes the digest and is idempotent; if the result would
 * violate this, no text is returned.
 */
export function formatPolicyFile(path: string, text: string): FormatResult {
  const source = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const problems = new Problems();
  if (readYaml(path, source, problems) === undefined || problems.hasErrors) {
    return { kind: 'unreadable', problems: problems.sorted() };
  }
  const once = format(source);
  if (meaningOf(once) !== meaningOf(source) || commentsOf(once) !== commentsOf(source)) return { kind: 'unsafe' };
  const twice = format(once);
  return twice === once ? { kind: 'formatted', text: once } : { kind: 'unsafe' };
}

const READ = { version: '1.2', schema: 'core', strict: true, logLevel: 'silent' } as const;

function format(source: string): string {
  const document = parseDocument(source, READ);
  const kind = isMap(document.contents) ? document.contents.get('kind') : undefined;
  arrange(document, typeof kind === 'string' ? kind : '');
  const text = document.toString({
    lineWidth: 0,
    doubleQuotedMinMultiLineLength: 1_000_000,
    singleQuote: true,
    flowCollectionPadding: true,
    indentSeq: true,
  });
  return `${withoutPaddedLists(text)
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`;
}

/** Changes `[ a, b ]` to `[a, b]`: the YAML library can only pad maps and lists alike. */
function withoutPaddedLists(text: string): string {
  const tokens = [...new Lexer().lex(text)];
  const isBlank = (token: string | undefined): boolean => token !== undefined && /^ +$/.test(token);
  return tokens
    .filter((token, index) => {
      if (/^[\u0002\u0018\u001f]$/.test(token)) return false;
      const [before, after] = [tokens[index - 1], tokens[index + 1]];
      return !isBlank(token) || !(before === '[' || (after === ']' && before !== '\n'));
    })
    .join('');
}

function arrange(document: Document, kind: string): void {
  const orders = Object.hasOwn(KEY_ORDERS, kind) ? KEY_ORDERS[kind]! : {};
  walk(document.contents, '', (node, path) => {
    if (isMap(node) && kind === 'Policy') node.items.forEach((pair) => lowerRawLeaf(pair, path));
    const order = isMap(node) ? orderOf(orders, path) : undefined;
    if (isMap(node) && order !== undefined) sortKeys(node, order);
    if (isSeq(node) && kind === 'Policy') {
      node.items = node.items.map((item) => rewritten(item, path));
      if (LIST_PATH.test(path)) sortList(node);
    }
  });
}

/** Visits all nodes, outer ones first. */
function walk(node: unknown, path: string, visit: (node: Node, path: string) => void): void {
  if (!isNode(node)) return;
  visit(node, path);
  if (isSeq(node)) for (const item of node.items) walk(item, `${path}[]`, visit);
  if (!isMap(node)) return;
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(key.value) : '';
    walk(value, path === '' ? name : `${path}.${name}`, visit);
  }
}

function orderOf(orders: Readonly<Record<string, readonly string[]>>, path: string): readonly string[] | undefined {
  const general = path.replace(/^(detectors)\.[^.]+$/, '$1.*');
  return Object.hasOwn(orders, general) ? orders[general] : undefined;
}

function sortKeys(map: YAMLMap, order: readonly string[]): void {
  const rank = ({ key }: Pair): number => {
    const index = isScalar(key) ? order.indexOf(String(key.value)) : -1;
    return index === -1 ? order.length : index;
  };
  const [first] = map.items;
  const sorted = map.items.map((pair, index) => ({ pair, index }));
  sorted.sort((a, b) => rank(a.pair) - rank(b.pair) || a.index - b.index);
  map.items = sorted.map(({ pair }) => pair);
  const [now] = map.items;
  if (first === undefined || now === first || !isNode(first.key) || !isNode(now?.key)) return;
  // YAML assigns a comment before the first key to the map: it moves with that key.
  if (hasText(map.commentBefore)) {
    first.key.commentBefore = [map.commentBefore, first.key.commentBefore].filter(hasText).join('\n');
    map.commentBefore = null;
  }
  if (now.key.spaceBefore === true) {
    now.key.spaceBefore = false;
    first.key.spaceBefore = true;
  }
}

function hasText(comment: string | null | undefined): comment is string {
  return typeof comment === 'string';
}

/** Writes one entry per line, sorted; a comment line or blank line begins a new group, which is sorted separately. */
function sortList(list: YAMLSeq): void {
  if (list.items.some((item) => !isScalar(item))) return;
  list.flow = false;
  const groups: unknown[][] = [[]];
  for (const item of list.items) {
    if (isNode(item) && (hasText(item.commentBefore) || item.spaceBefore === true)) groups.push([]);
    groups.at(-1)!.push(item);
  }
  list.items = groups.flatMap((group) => sortedGroup(group));
}

function sortedGroup(items: readonly unknown[]): unknown[] {
  const byValue = new Map<unknown, unknown[]>();
  for (const item of items) {
    const value = isScalar(item) ? item.value : item;
    byValue.set(value, [...(byValue.get(value) ?? []), item]);
  }
  const [first] = items;
  const sorted = sortedEntries([...byValue.keys()]).flatMap((value) => byValue.get(value)!);
  const [now] = sorted;
  if (now !== first && isNode(first) && isNode(now)) {
    // A comment or blank line above a group stays above it.
    [now.commentBefore, first.commentBefore] = [first.commentBefore, null];
    [now.spaceBefore, first.spaceBefore] = [first.spaceBefore === true, false];
  }
  return sorted;
}

const LIST_PATH = /^lists\.[^.]+(?:\.(?:add|remove))?$/;
const CONDITION_PATH = /(?:^|\.|\[\])(?:when|conditions|set)(?:$|\.|\[\])/;

/** Rewrites a condition in the engine's form that is the value of a key: of `when`, `not`, or the name of a condition. */
function lowerRawLeaf(pair: Pair, path: string): void {
  const key = isScalar(pair.key) ? String(pair.key.value) : '';
  const here = path === '' ? key : `${path}.${key}`;
  if (CONDITION_PATH.test(here) && key !== 'some' && key !== 'none') pair.value = rewritten(pair.value, `${here}[]`);
}

function rewritten(item: unknown, path: string): unknown {
  if (!CONDITION_PATH.test(path) || !isMap(item)) return item;
  const fields = new Map(item.items.map(({ key, value }) => [isScalar(key) ? String(key.value) : '', value]));
  const known = [...fields.keys()].every((name) => ['fact', 'path', 'operator', 'value'].includes(name));
  const text = (name: string): string | undefined => {
    const value = fields.get(name);
    return isScalar(value) && typeof value.value === 'string' ? value.value : undefined;
  };
  const [fact, operator, value] = [text('fact'), text('operator'), fields.get('value')];
  if (!known || fact === undefined || operator === undefined || value === undefined || hasInnerComments(item))
    return item;
  if (fields.has('path') && text('path') === undefined) return item;
  const name = [fact, ...(text('path')?.replace(/^\$\./, '').split('.') ?? [])].join('.');
  const raw = Object.hasOwn(RAW_OPERATORS, operator) ? RAW_OPERATORS[operator]! : { op: operator };
  const leaf = mapOf(name, mapOf(raw.op, value));
  const made = 'negated' in raw ? mapOf('not', leaf) : leaf;
  made.commentBefore = item.commentBefore ?? null;
  // A block map cannot have a trailing comment, so the comment moves to the inner map.
  (pairOf(made).value as YAMLMap).comment = item.comment ?? null;
  made.spaceBefore = item.spaceBefore === true;
  made.flow = false;
  return made;
}

function mapOf(key: string, value: unknown): YAMLMap {
  const map = parseDocument('{ key: value }').contents as YAMLMap;
  const pair = pairOf(map);
  (pair.key as { value: unknown }).value = key;
  pair.value = value;
  return map;
}

/** The only pair of a map made by `mapOf`. */
function pairOf({ items }: YAMLMap): YAMLMap['items'][number] {
  return items[0]!;
}

function hasInnerComments(map: YAMLMap): boolean {
  return map.items.some(({ key, value }) =>
    [key, value].some((node) => isNode(node) && (hasText(node.comment) || hasText(node.commentBefore))),
  );
}

/** The meaning of a text, in a form that ignores the order of keys and list entries, and the form of conditions. */
function meaningOf(text: string): string {
  return JSON.stringify(meaning(parseDocument(text, READ).toJS(), ''));
}

function meaning(value: unknown, path: string): unknown {
  if (Array.isArray(value)) {
    const items: unknown[] = value;
    if (LIST_PATH.test(path)) return sortedEntries(items);
    return items.map((item) => meaning(item, `${path}[]`));
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Readonly<Record<string, unknown>>;
  const { fact, operator } = fields;
  if (CONDITION_PATH.test(path) && typeof fact === 'string' && typeof operator === 'string' && 'value' in fields) {
    const raw = Object.hasOwn(RAW_OPERATORS, operator) ? RAW_OPERATORS[operator]! : { op: operator };
    const name = typeof fields['path'] === 'string' ? `${fact}.${fields['path'].replace(/^\$\./, '')}` : fact;
    const leaf = [[name, [[raw.op, meaning(fields['value'], path)]]]];
    return 'negated' in raw ? [['not', leaf]] : leaf;
  }
  return Object.entries(fields)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, meaning(inner, path === '' ? key : `${path}.${key}`)]);
}

/** All comments of a text, sorted, to check that none is lost. */
function commentsOf(text: string): string {
  const found = [...new Lexer().lex(text)].filter((token) => token.startsWith('#')).map((token) => token.trimEnd());
  return found.sort().join('\n');
}
