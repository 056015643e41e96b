import { compareText } from '../model/compare-text.js';
import type { PolicyDocument } from './documents.js';
import type { ListChange } from './policy-format.js';
import { applyOverrides, type AppliedOverride } from './overrides.js';
import { entryOf, nodeAt, plainOf, valueOf, type Entry, type MapNode, type Node, type Span } from './source/node.js';
import { positionOf, type Problems } from './source/problems.js';

/** An item of a document, with the id of the document's policy. */
export interface Owned<T = MapNode> {
  readonly node: T;
  readonly policy: string;
  /** The overrides that changed it, in the order in which they were applied. */
  readonly overrides?: readonly AppliedOverride[];
}

/** A detector as defined by all documents together: for each field the last definition, for `codes` all changes in order. */
export interface DetectorSource {
  readonly key: string;
  readonly keySpan: Span;
  readonly entries: readonly Entry[];
  readonly codes: readonly { readonly change: ListChange<string>; readonly node: Node }[];
}

/** The merged documents, still as nodes with positions. */
export interface ResolvedPolicy {
  readonly id: string;
  readonly detectors: readonly DetectorSource[];
  readonly lists: ReadonlyMap<string, readonly (string | number)[]>;
  /** The position of each entry of each list. */
  readonly listSpans: ReadonlyMap<string, ReadonlyMap<string | number, Span>>;
  readonly conditions: ReadonlyMap<string, Node>;
  readonly rules: readonly Owned[];
  readonly exceptions: readonly Owned[];
  readonly budgets: readonly Owned[];
  /** By the name of the model; the extending document wins. */
  readonly prices: ReadonlyMap<string, Node>;
  /** The value of a setting such as `content` or `stages.pre.deadline_ms`, after `extends`; undefined if no document sets it. */
  setting(...path: readonly string[]): Node | undefined;
}

/** Merges documents: an extending document wins over its bases; documents that do not extend each other must not disagree. */
export function resolveDocuments(documents: readonly PolicyDocument[], problems: Problems): ResolvedPolicy {
  const rules = uniqueItems(documents, 'rules', problems);
  return {
    id: mainDocument(documents, problems).id,
    detectors: mergeDetectors(documents, problems),
    ...mergeLists(documents, problems),
    conditions: mergeConditions(documents, problems),
    rules: applyOverrides(rules, documents, problems),
    exceptions: uniqueItems(documents, 'exceptions', problems),
    budgets: uniqueItems(documents, 'budgets', problems),
    prices: new Map(
      [...sectionOf(documents, 'prices', problems)].map(([name, definitions]) => [name, definitions.at(-1)!.node]),
    ),
    setting: (...path) => resolveSetting(documents, path, problems),
  };
}

/** The document that makes the folder an environment's policy: the one with `default`. */
function mainDocument(documents: readonly PolicyDocument[], problems: Problems): PolicyDocument {
  const entries = documents.filter((document) => document.isEntry).sort((a, b) => compareText(a.id, b.id));
  // An invalid value was reported at its own position and does not count as missing.
  const says = (key: string) => (document: PolicyDocument) => entryOf(document.root, key) !== undefined;
  const main = entries.find((document) => says('default')(document) && says('environment')(document));
  if (main !== undefined) return main;
  const withDefault = entries.find(says('default'));
  const shown = withDefault ?? entries[0]!;
  const missing = withDefault === undefined ? 'default' : 'environment';
  const hint = missing === 'default' ? 'write "default: allow" or "default: block"' : 'write "environment: <name>"';
  problems.add(
    'G006',
    entryOf(shown.root, 'apiVersion')?.keySpan ?? shown.root.span,
    `the policy needs "${missing}"`,
    hint,
  );
  return shown;
}

interface Definition {
  readonly document: PolicyDocument;
  readonly node: Node;
  readonly span: Span;
}

function definitionsOf(documents: readonly PolicyDocument[], path: readonly string[]): Definition[] {
  return documents.flatMap((document) => {
    const parent = nodeAt(document.root, ...path.slice(0, -1));
    const entry = entryOf(parent, path.at(-1)!);
    return entry === undefined ? [] : [{ document, node: entry.value, span: entry.keySpan }];
  });
}

function areRelated(a: PolicyDocument, b: PolicyDocument): boolean {
  return a.bases.has(b.path) || b.bases.has(a.path);
}

function resolveSetting(
  documents: readonly PolicyDocument[],
  path: readonly string[],
  problems: Problems,
): Node | undefined {
  const definitions = definitionsOf(documents, path);
  const last = definitions.filter(
    ({ document }) => !definitions.some((other) => other.document.bases.has(document.path)),
  );
  const [winner, ...others] = last;
  if (winner === undefined) return undefined;
  for (const other of others) {
    if (JSON.stringify(plainOf(other.node)) === JSON.stringify(plainOf(winner.node))) continue;
    reportClash(`"${path.join('.')}"`, winner, other, problems);
  }
  return winner.node;
}

function reportClash(what: string, first: Definition, second: Definition, problems: Problems): void {
  const isInOrder = compareText(first.document.path, second.document.path) <= 0;
  const [earlier, later] = isInOrder ? [first, second] : [second, first];
  const { line } = positionOf(earlier.span);
  const message = `${what} is also set in ${earlier.document.path}:${line}`;
  problems.add('G002', later.span, message, 'set it in one place: neither file extends the other');
}

/** Definitions of each key of a section, in order; two files that do not extend each other must not share a key. */
function sectionOf(
  documents: readonly PolicyDocument[],
  section: string,
  problems: Problems,
): Map<string, Definition[]> {
  const byKey = new Map<string, Definition[]>();
  for (const document of documents) {
    const node = valueOf(document.root, section);
    for (const { key, keySpan, value } of node?.kind === 'map' ? node.entries : []) {
      const definition = { document, node: value, span: keySpan };
      const known = byKey.get(key);
      if (known === undefined) byKey.set(key, [definition]);
      else known.push(definition);
    }
  }
  const result = new Map<string, Definition[]>();
  for (const [key, definitions] of [...byKey].sort(([a], [b]) => compareText(a, b))) {
    definitions.forEach((definition, index) => {
      const rival = definitions.slice(0, index).find((other) => !areRelated(other.document, definition.document));
      if (rival !== undefined) reportClash(`"${section}.${key}"`, rival, definition, problems);
    });
    result.set(key, definitions);
  }
  return result;
}

function mergeDetectors(documents: readonly PolicyDocument[], problems: Problems): DetectorSource[] {
  return [...sectionOf(documents, 'detectors', problems)].map(([key, definitions]) => {
    const entries = new Map<string, Entry>();
    const codes: { change: ListChange<string>; node: Node }[] = [];
    for (const { node } of definitions) {
      if (node.kind !== 'map') problems.add('G007', node.span, 'expected a detector such as { plugin: pii@^1 }');
      for (const entry of node.kind === 'map' ? node.entries : []) {
        if (entry.key === 'codes') codes.push({ change: changeOf<string>(entry.value), node: entry.value });
        else entries.set(entry.key, entry);
      }
    }
    return { key, keySpan: definitions[0]!.span, entries: [...entries.values()], codes };
  });
}

/** A list or `{ add, remove }`; entries of a wrong form were reported when the document was read. */
export function changeOf<T>(node: Node): ListChange<T> {
  if (node.kind === 'seq') return { set: scalarsOf<T>(node) };
  const add = valueOf(node, 'add');
  const remove = valueOf(node, 'remove');
  return { ...(add && { add: scalarsOf<T>(add) }), ...(remove && { remove: scalarsOf<T>(remove) }) };
}

function scalarsOf<T>(node: Node): T[] {
  return node.kind === 'seq' ? node.items.flatMap((item) => (item.kind === 'scalar' ? [item.value as T] : [])) : [];
}

/** Applies a change to a list. Removing a missing entry is an error, since the author assumed that it exists. */
export function applyChange<T>(before: readonly T[], change: ListChange<T>, node: Node, problems: Problems): T[] {
  const base = new Set(change.set ?? before);
  const removed = new Set(change.remove ?? []);
  for (const gone of removed) {
    if (!base.has(gone)) problems.add('G021', node.span, `cannot remove ${JSON.stringify(gone)}: not in the list`);
  }
  const kept = [...base].filter((entry) => !removed.has(entry));
  return [...new Set([...kept, ...(change.add ?? [])])];
}

function mergeLists(
  documents: readonly PolicyDocument[],
  problems: Problems,
): Pick<ResolvedPolicy, 'lists' | 'listSpans'> {
  const lists = new Map<string, readonly (string | number)[]>();
  const listSpans = new Map<string, ReadonlyMap<string | number, Span>>();
  for (const [name, definitions] of sectionOf(documents, 'lists', problems)) {
    definitions.forEach(({ node, span }, index) => {
      if (index === 0 && node.kind === 'map') {
        problems.add('G021', span, `there is no list "${name}" to change`, 'write the whole list');
      }
      lists.set(name, applyChange(lists.get(name) ?? [], changeOf<string | number>(node), node, problems));
    });
    if (lists.get(name)?.length === 0) problems.add('G109', definitions[0]!.span, `the list "${name}" is empty`);
    listSpans.set(name, spansOf(lists.get(name) ?? [], definitions));
  }
  // A list is a set: the order of its entries must not change the digest.
  return { lists: new Map([...lists].map(([name, entries]) => [name, sortedEntries(entries)])), listSpans };
}

/** Sorts the entries of a list into canonical order: numbers by value, then texts by code unit. */
export function sortedEntries<T>(entries: readonly T[]): T[] {
  const kind = (entry: T): number => (typeof entry === 'number' ? 0 : 1);
  return [...entries].sort((a, b) => {
    if (kind(a) !== kind(b)) return kind(a) - kind(b);
    return typeof a === 'number' && typeof b === 'number' ? a - b : compareText(String(a), String(b));
  });
}

/** The position of an entry is its last occurrence in the documents. */
function spansOf(
  entries: readonly (string | number)[],
  definitions: readonly Definition[],
): Map<string | number, Span> {
  const written = new Map<unknown, Span>();
  for (const { node } of definitions) {
    for (const item of [node, valueOf(node, 'add')].flatMap((list) => (list?.kind === 'seq' ? list.items : []))) {
      if (item.kind === 'scalar') written.set(item.value, item.span);
    }
  }
  return new Map(entries.flatMap((entry) => (written.has(entry) ? [[entry, written.get(entry)!]] : [])));
}

function mergeConditions(documents: readonly PolicyDocument[], problems: Problems): Map<string, Node> {
  const conditions = new Map<string, Node>();
  for (const [name, definitions] of sectionOf(documents, 'conditions', problems)) {
    conditions.set(name, definitions[0]!.node);
    for (const again of definitions.slice(1)) {
      if (!areRelated(definitions[0]!.document, again.document)) continue;
      reportClash(`the condition "${name}"`, definitions[0]!, again, problems);
    }
  }
  return conditions;
}

/** The items of a list section from all documents, sorted by id. An id must be unique in the policy. */
function uniqueItems(documents: readonly PolicyDocument[], section: string, problems: Problems): Owned[] {
  const found: (Owned & { id: string; document: PolicyDocument; span: Span })[] = [];
  const byId = new Map<string, (typeof found)[number]>();
  for (const document of [...documents].sort((a, b) => compareText(a.path, b.path))) {
    const list = valueOf(document.root, section);
    for (const node of list?.kind === 'seq' ? list.items : []) {
      const id = valueOf(node, 'id');
      if (node.kind !== 'map') {
        problems.add('G007', node.span, `expected an entry of "${section}" with an "id"`);
        continue;
      }
      const name = id?.kind === 'scalar' && typeof id.value === 'string' ? id.value : '';
      const other = byId.get(name);
      if (other !== undefined) {
        const { line } = positionOf(other.span);
        problems.add(
          'G002',
          id?.span ?? node.span,
          `the id "${name}" is already used in ${other.document.path}:${line}`,
        );
      }
      const item = { node, policy: document.id, id: name, document, span: id?.span ?? node.span };
      found.push(item);
      if (name !== '' && other === undefined) byId.set(name, item);
    }
  }
  return found.sort((a, b) => compareText(a.id, b.id)).map(({ node, policy }) => ({ node, policy }));
}
