/**
 * Compilation of policy files: reading, overrides, conditions, and problems with their positions. Start with compile-policy.ts, which
 * lists the stages.
 */
import type { CatalogDetector, PluginCatalog } from '../detection/catalog.js';
import { codesOf, type CodeInfo } from '../detection/detector.js';
import { BASE_FACTS } from '../facts/registry.js';
import { rootsOf } from '../detection/bind-structures.js';
import type { DetectorBinding } from '../model/compiled-policy.js';
import { checkOptions, findPlugin } from './plugin-source.js';
import { DETECTOR_FIELDS } from './policy-format.js';
import { applyChange, type DetectorSource } from './resolve.js';
import type { Entry, Node, Span } from './source/node.js';
import type { Problems } from './source/problems.js';

const DEFAULT_TIMEOUT_MS = 200;

type DeclaredCodes = Readonly<Record<string, CodeInfo>>;

/** A detector of the policy: its binding, and further data that only the compiler needs. */
export interface BoundSource {
  readonly binding: DetectorBinding;
  readonly plugin: CatalogDetector;
  /** All codes that the detector declares with these options, enabled or not. */
  readonly declared: readonly string[];
  /** The plugin's options as written; the digest covers this form. */
  readonly written: unknown;
}

/**
 * Finds each detector's plugin and checks its options, in steps: the options of one detector can take long to check. Detectors with a
 * problem are omitted from the result.
 */
export function* bindingSources(
  sources: readonly DetectorSource[],
  catalog: PluginCatalog,
  problems: Problems,
): Generator<void, BoundSource[]> {
  const taken = new Set([
    ...rootsOf({ facts: BASE_FACTS }),
    ...catalog.structures.flatMap(rootsOf),
    ...catalog.ledgers.map(({ root }) => root),
  ]);
  const bound: BoundSource[] = [];
  for (const source of sources) {
    if (taken.has(source.key)) {
      problems.add(
        'G007',
        source.keySpan,
        `"${source.key}" is already the name of other facts`,
        'give the detector another key',
      );
      continue;
    }
    const one = bindSource(source, catalog, problems);
    if (one !== undefined) bound.push(one);
    yield;
  }
  return bound;
}

function bindSource(source: DetectorSource, catalog: PluginCatalog, problems: Problems): BoundSource | undefined {
  const plugin = findPlugin(source, catalog.detectors, problems);
  if (plugin === undefined) return undefined;
  const { meta } = plugin;
  const host = new Map(
    source.entries.filter(({ key }) => Object.hasOwn(DETECTOR_FIELDS, key)).map((entry) => [entry.key, entry]),
  );
  const options = checkOptions(source, meta.options, problems);
  // The codes of this detector are derived from its options: without valid options they are unknown.
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

function chooseCodes(source: DetectorSource, plugin: string, infos: DeclaredCodes, problems: Problems): string[] {
  const declared = Object.keys(infos);
  let codes = declared.filter((code) => infos[code]!.enabled);
  for (const { change, node } of source.codes) {
    const read = DETECTOR_FIELDS.codes.shape.read(node, problems);
    const named = [...(change.set ?? []), ...(change.add ?? []), ...(change.remove ?? [])];
    for (const code of named.filter((name) => !declared.includes(name))) {
      const span = spanOfScalar(node, code) ?? node.span;
      const hint = problems.suggest(String(code), declared) ?? `known: ${declared.slice(0, 40).join(', ')}`;
      problems.add('G124', span, `plugin "${plugin}" has no code "${code}"`, hint);
    }
    if (read !== undefined) codes = applyChange(codes, change, node, problems);
  }
  if (codes.length === 0)
    problems.add('G109', source.keySpan, `the detector "${source.key}" has no codes to search for`);
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
      problems.suggest(code, Object.keys(declared)),
    );
  }
  return (code) => value.get(code) ?? byPlugin(code);
}
