import { rootsOf } from '../detection/bind-structures.js';
import type { PluginCatalog } from '../detection/catalog.js';
import type { LedgerPlugin } from '../detection/ledger.js';
import type { StructurePlugin } from '../detection/structure.js';
import { engineLeaves, factsOfLeaf } from './engine-rules.js';
import { STAGES } from '../model/fact.js';
import type { CompiledPolicy, StructureBinding } from '../model/compiled-policy.js';
import { checkOptions, findPlugin, pluginIdOf } from './plugin-source.js';
import { DETECTOR_FIELDS } from './policy-format.js';
import type { DetectorSource } from './resolve.js';
import type { Problems } from './source/problems.js';

/** A structure plugin with options in the policy. */
export interface BoundStructureSource {
  readonly binding: StructureBinding;
  /** The options as written; the digest covers this form. */
  readonly written: unknown;
}

type FactPlugins = Pick<PluginCatalog, 'structures' | 'ledgers'>;

/**
 * Whether an entry under `detectors` names a structure plugin or a ledger plugin. Such an entry only sets the plugin's options; the
 * names of its facts do not depend on the entry's key.
 */
export function isStructureSource(source: DetectorSource, { structures, ledgers }: FactPlugins): boolean {
  const id = pluginIdOf(source);
  return [...structures, ...ledgers].some(({ meta }) => meta.id === id);
}

/** Checks the options that the policy sets for structure and ledger plugins. Entries with a problem are omitted from the result. */
export function bindStructureSources(
  sources: readonly DetectorSource[],
  { structures, ledgers }: FactPlugins,
  problems: Problems,
): BoundStructureSource[] {
  const named = new Set<string>();
  return sources.flatMap((source) => {
    const plugin = findPlugin(source, [...structures, ...ledgers], problems);
    if (plugin === undefined) return [];
    const { id, version, revision } = plugin.meta;
    if (named.has(id)) problems.add('G002', source.keySpan, `plugin "${id}" already has options in another entry`);
    named.add(id);
    refuseDetectorKeys(source, id, problems);
    const options = checkOptions(source, plugin.meta.options, problems);
    if (options === undefined) return [];
    return [
      {
        binding: { key: source.key, plugin: id, version, revision, options: options.value, ...ledgerOf(plugin) },
        written: options.written,
      },
    ];
  });
}

/** The structure and ledger plugins for which the policy sets no options, by id. */
export function readersOf(
  { stages, structures: bound }: Pick<CompiledPolicy, 'stages' | 'structures'>,
  { structures, ledgers }: FactPlugins,
): CompiledPolicy['readers'] {
  const read = new Set(
    STAGES.flatMap((stage) => [...stages[stage].asWritten, ...stages[stage].exceptions])
      .flatMap(({ conditions }) => engineLeaves(conditions).flatMap(factsOfLeaf))
      .map(({ fact }) => fact),
  );
  const all = [
    ...structures.map((plugin) => ({ plugin, roots: rootsOf(plugin) })),
    ...ledgers.map((plugin) => ({ plugin, roots: [plugin.root] })),
  ];
  return all
    .filter(({ plugin: { meta } }) => !bound.some(({ plugin }) => plugin === meta.id))
    .map(({ plugin, roots }) => {
      const { id, version, revision } = plugin.meta;
      return { plugin: id, version, revision, isRead: roots.some((root) => read.has(root)), ...ledgerOf(plugin) };
    })
    .sort((a, b) => (a.plugin < b.plugin ? -1 : 1));
}

function ledgerOf(plugin: StructurePlugin | LedgerPlugin): { readonly ledger?: string } {
  return plugin.kind === 'ledger' ? { ledger: plugin.root } : {};
}

/** Reports codes, scores and timeouts, which only detectors can have. */
function refuseDetectorKeys(source: DetectorSource, id: string, problems: Problems): void {
  for (const { key, keySpan } of source.entries) {
    if (key === 'plugin' || !Object.hasOwn(DETECTOR_FIELDS, key)) continue;
    problems.add('G003', keySpan, `plugin "${id}" only provides facts and has no "${key}"`);
  }
  for (const { node } of source.codes)
    problems.add('G003', node.span, `plugin "${id}" only provides facts and has no "codes"`);
}
