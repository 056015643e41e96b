import { satisfies, validRange } from 'semver';
import type { PluginCatalog } from '../detection/catalog.js';
import { codesOf, type AnyDetector, type CodeInfo } from '../detection/detector.js';
import { BASE_FACTS } from '../facts/registry.js';
import { splitFactName } from '../facts/read-path.js';
import type { DetectorBinding } from './compiled.js';
import { DETECTOR_FIELDS } from './policy-format.js';
import { applyChange, type DetectorSource } from './resolve.js';
import { didYouMean } from './source/did-you-mean.js';
import { plainOf, type Entry, type MapNode, type Node, type Span } from './source/node.js';
import { reportUnknownKey } from './source/shape.js';
import type { Problems } from './source/problems.js';

const DEFAULT_TIMEOUT_MS = 200;

type DeclaredCodes = Readonly<Record<string, CodeInfo>>;

/** A detector of the policy, with what the compiler still needs beside the binding. */
export interface BoundSource {
  readonly binding: DetectorBinding;
  readonly plugin: AnyDetector;
  /** All codes that the detector knows with these options, enabled or not. */
  readonly declared: readonly string[];
  /** The plugin's options as written: what the digest covers. */
  readonly written: unknown;
}

/** Finds each detector's plugin and checks its options. A detector that has a problem is left out. */
export function bindSources(
  sources: readonly DetectorSource[],
  catalog: PluginCatalog,
  problems: Problems,
): BoundSource[] {
  const taken = new Set([...BASE_FACTS, ...catalog.structures.flatMap((structure) => structure.facts)].map(rootOf));
  taken.add('budgets');
  return sources.flatMap((source) => {
    if (taken.has(source.key)) {
      problems.add(
        'G007',
        source.keySpan,
        `"${source.key}" is the name of other facts`,
        'give the detector another key',
      );
      return [];
    }
    return bindSource(source, catalog, problems) ?? [];
  });
}

function rootOf(fact: { readonly name: string }): string {
  return splitFactName(fact.name).root;
}

function bindSource(source: DetectorSource, catalog: PluginCatalog, problems: Problems): BoundSource | undefined {
  const plugin = findPlugin(source, catalog, problems);
  if (plugin === undefined) return undefined;
  const { meta } = plugin;
  const host = new Map(
    source.entries.filter(({ key }) => Object.hasOwn(DETECTOR_FIELDS, key)).map((entry) => [entry.key, entry]),
  );
  const options = checkOptions(source, plugin, problems);
  // Without readable options nobody knows the codes of a detector that takes them from there.
  if (options === undefined && meta.codesFrom !== undefined) return undefined;
  const declared: DeclaredCodes = options === undefined ? meta.codes : codesOf(meta, options.value);
  const codes = chooseCodes(source, meta.id, declared, problems);
  const minScore = minScoreOf(host.get('min_score'), meta.id, declared, problems);
  const timeout = host.get('timeout_ms');
  const timeoutMs =
    timeout === undefined ? DEFAULT_TIMEOUT_MS : DETECTOR_FIELDS.timeout_ms.shape.read(timeout.value, problems);
  if (options === undefined || minScore === undefined || timeoutMs === undefined) return undefined;
  const binding: DetectorBinding = {
    key: source.key,
    plugin: meta.id,
    version: meta.version,
    revision: meta.revision,
    options: options.value,
    codes,
    minScore: Object.fromEntries(codes.map((code) => [code, minScore(code)])),
    timeoutMs,
  };
  return { binding, plugin, declared: Object.keys(declared), written: options.written };
}

function findPlugin(source: DetectorSource, catalog: PluginCatalog, problems: Problems): AnyDetector | undefined {
  const entry = source.entries.find(({ key }) => key === 'plugin');
  if (entry === undefined) {
    problems.add('G006', source.keySpan, `the detector "${source.key}" needs "plugin"`, 'such as plugin: pii@^1');
    return undefined;
  }
  const named = DETECTOR_FIELDS.plugin.shape.read(entry.value, problems);
  if (named === undefined) return undefined;
  const [id = '', range] = named.split('@');
  const span = entry.value.span;
  const plugin = catalog.detectors.find(({ meta }) => meta.id === id);
  if (plugin === undefined) {
    const isStructure = catalog.structures.some(({ meta }) => meta.id === id);
    const known = catalog.detectors.map(({ meta }) => meta.id);
    const hint = isStructure
      ? 'its facts are always there: it takes no entry under `detectors`'
      : (didYouMean(id, known) ?? `loaded: ${known.join(', ') || 'none'}`);
    problems.add('G122', span, `no detector plugin "${id}" is loaded`, hint);
    return undefined;
  }
  if (range !== undefined && (validRange(range) === null || !satisfies(plugin.meta.version, range))) {
    problems.add(
      'G122',
      span,
      `plugin "${id}" is loaded in version ${plugin.meta.version}, the policy asks for ${range}`,
    );
    return undefined;
  }
  return plugin;
}

/** Whatever is not the host's own key is an option of the plugin, checked by the plugin's schema. */
function checkOptions(
  source: DetectorSource,
  { meta }: AnyDetector,
  problems: Problems,
): { readonly value: unknown; readonly written: unknown } | undefined {
  const entries = source.entries.filter(({ key }) => !Object.hasOwn(DETECTOR_FIELDS, key));
  const node: MapNode = { kind: 'map', span: source.keySpan, entries };
  const written = { ...(plainOf(node) as Record<string, unknown>) };
  const result = meta.options.safeParse(written);
  if (result.success) return { value: result.data, written };
  for (const issue of result.error.issues) {
    if (issue.code === 'unrecognized_keys') {
      const known = [...optionNames(meta.options), ...Object.keys(DETECTOR_FIELDS)];
      for (const key of issue.keys) {
        reportUnknownKey(key, spanAt(node, [...issue.path, key]), known, `detector "${source.key}"`, problems);
      }
    } else {
      const where = issue.path.map(String).join('.') || 'options';
      problems.add('G123', spanAt(node, issue.path), `${source.key}: ${where}: ${issue.message}`);
    }
  }
  return undefined;
}

function optionNames(schema: unknown): string[] {
  const shape = (schema as { readonly shape?: unknown }).shape;
  return typeof shape === 'object' && shape !== null ? Object.keys(shape) : [];
}

/** Where to point for a path inside the options: the deepest part that exists. */
function spanAt(root: MapNode, path: readonly PropertyKey[]): Span {
  let node: Node = root;
  let span = root.span;
  for (const part of path) {
    if (node.kind === 'map') {
      const entry: Entry | undefined = node.entries.find(({ key }) => key === String(part));
      if (entry === undefined) return span;
      span = part === path.at(-1) && entry.value.kind !== 'scalar' ? entry.keySpan : entry.value.span;
      if (entry.value.kind === 'scalar' && part === path.at(-1)) return isOption(root, entry) ? entry.keySpan : span;
      node = entry.value;
    } else if (node.kind === 'seq' && node.items[Number(part)] !== undefined) {
      node = node.items[Number(part)]!;
      span = node.span;
    } else if (node.kind === 'scalar' || Number.isInteger(part)) return span;
    // Else a list is the short form of a map, and the schema names a key that nobody wrote.
  }
  return span;
}

function isOption(root: MapNode, entry: Entry): boolean {
  return root.entries.includes(entry);
}

function chooseCodes(source: DetectorSource, plugin: string, infos: DeclaredCodes, problems: Problems): string[] {
  const declared = Object.keys(infos);
  let codes = declared.filter((code) => infos[code]!.enabled);
  for (const { change, node } of source.codes) {
    const read = DETECTOR_FIELDS.codes.shape.read(node, problems);
    const named = [...(change.set ?? []), ...(change.add ?? []), ...(change.remove ?? [])];
    for (const code of named.filter((name) => !declared.includes(name))) {
      const span = spanOfScalar(node, code) ?? node.span;
      const hint = didYouMean(String(code), declared) ?? `known: ${declared.slice(0, 40).join(', ')}`;
      problems.add('G124', span, `plugin "${plugin}" has no code "${code}"`, hint);
    }
    if (read !== undefined) codes = applyChange(codes, change, node, problems);
  }
  if (codes.length === 0) problems.add('G109', source.keySpan, `the detector "${source.key}" searches for nothing`);
  return codes.filter((code) => declared.includes(code)).sort();
}

function spanOfScalar(node: Node, value: unknown): Span | undefined {
  if (node.kind === 'scalar') return node.value === value ? node.span : undefined;
  const children = node.kind === 'seq' ? node.items : node.entries.map((entry) => entry.value);
  return children.map((child) => spanOfScalar(child, value)).find((span) => span !== undefined);
}

function minScoreOf(
  entry: Entry | undefined,
  plugin: string,
  declared: DeclaredCodes,
  problems: Problems,
): ((code: string) => number) | undefined {
  const byPlugin = (code: string): number => declared[code]?.minScore ?? 0;
  if (entry === undefined) return byPlugin;
  const value = DETECTOR_FIELDS.min_score.shape.read(entry.value, problems);
  if (value === undefined) return undefined;
  if (typeof value === 'number') return () => value;
  for (const code of value.keys()) {
    if (Object.hasOwn(declared, code)) continue;
    const node = entry.value.kind === 'map' ? entry.value.entries.find(({ key }) => key === code) : undefined;
    problems.add(
      'G124',
      node?.keySpan ?? entry.keySpan,
      `plugin "${plugin}" has no code "${code}"`,
      didYouMean(code, Object.keys(declared)),
    );
  }
  return (code) => value.get(code) ?? byPlugin(code);
}
