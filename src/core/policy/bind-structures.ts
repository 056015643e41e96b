import type { StructurePlugin } from '../detection/structure.js';
import { engineLeaves } from './engine-rules.js';
import { STAGES } from '../model/fact.js';
import { splitFactName } from '../facts/read-path.js';
import type { CompiledPolicy, StructureBinding } from '../model/compiled-policy.js';
import { checkOptions, findPlugin, pluginIdOf } from './plugin-source.js';
import { DETECTOR_FIELDS } from './policy-format.js';
import type { DetectorSource } from './resolve.js';
import type { Problems } from './source/problems.js';

/** A structure plugin that the policy gives options. */
export interface BoundStructureSource {
  readonly binding: StructureBinding;
  /** The options as written: what the digest covers. */
  readonly written: unknown;
}

/** Whether an entry under `detectors` names a structure plugin: it then gives it options, and its facts keep their names. */
export function isStructureSource(source: DetectorSource, structures: readonly StructurePlugin[]): boolean {
  const id = pluginIdOf(source);
  return structures.some(({ meta }) => meta.id === id);
}

/** Checks the options that the policy gives to structure plugins. An entry that has a problem is left out. */
export function bindStructureSources(
  sources: readonly DetectorSource[],
  structures: readonly StructurePlugin[],
  problems: Problems,
): BoundStructureSource[] {
  const named = new Set<string>();
  return sources.flatMap((source) => {
    const plugin = findPlugin(source, structures, problems);
    if (plugin === undefined) return [];
    const { id, version, revision } = plugin.meta;
    if (named.has(id)) problems.add('G002', source.keySpan, `plugin "${id}" has options in another entry already`);
    named.add(id);
    refuseDetectorKeys(source, id, problems);
    const options = checkOptions(source, plugin.meta.options, problems);
    if (options === undefined) return [];
    return [
      {
        binding: { key: source.key, plugin: id, version, revision, options: options.value },
        written: options.written,
      },
    ];
  });
}

/** The structure plugins that a policy gives no options, by id. */
export function readersOf(
  { stages, structures: bound }: Pick<CompiledPolicy, 'stages' | 'structures'>,
  structures: readonly StructurePlugin[],
): CompiledPolicy['readers'] {
  const read = new Set(
    STAGES.flatMap((stage) => [...stages[stage].asWritten, ...stages[stage].exceptions])
      .flatMap(({ conditions }) => engineLeaves(conditions))
      .map(({ fact }) => fact),
  );
  return structures
    .filter(({ meta }) => !bound.some(({ plugin }) => plugin === meta.id))
    .map(({ meta: { id, version, revision }, facts }) => {
      const isRead = facts.some(({ name }) => read.has(splitFactName(name).root));
      return { plugin: id, version, revision, isRead };
    })
    .sort((a, b) => (a.plugin < b.plugin ? -1 : 1));
}

/** Codes, scores and time-outs belong to what finds things in text. */
function refuseDetectorKeys(source: DetectorSource, id: string, problems: Problems): void {
  for (const { key, keySpan } of source.entries) {
    if (key === 'plugin' || !Object.hasOwn(DETECTOR_FIELDS, key)) continue;
    problems.add('G003', keySpan, `plugin "${id}" gives facts and has no "${key}"`);
  }
  for (const { node } of source.codes) problems.add('G003', node.span, `plugin "${id}" gives facts and has no "codes"`);
}
