/** Converts rules of other systems to policies with tests. Every line that could not be converted is reported. */
import type { PluginCatalog } from '../../core/detection/catalog.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { importBedrock, bedrockKey } from './bedrock.js';
import {
  Draft,
  type ImportAction,
  type ImportDetector,
  type ImportedPattern,
  type ImportNote,
  type PresentDetector,
} from './draft.js';
import { importLitellm } from './litellm.js';
import { importColang, importNemo } from './nemo.js';
import { filesOf, type ImportedFiles, type ImportNames } from './policy-of-draft.js';
import { importPresidio } from './presidio.js';
import { readSource } from './source-node.js';

export type { ImportNote } from './draft.js';
export { UnreadableSource } from './source-node.js';

/** Systems whose rules can be imported. */
export const IMPORT_SYSTEMS = ['litellm', 'bedrock', 'presidio', 'nemo'] as const;
export type ImportSystem = (typeof IMPORT_SYSTEMS)[number];

export interface ImportInput extends ImportNames {
  readonly system: ImportSystem;
  /** The file of the other system. */
  readonly text: string;
  /** The action on findings if the system has none: Presidio only finds. */
  readonly action: ImportAction;
  readonly catalog: PluginCatalog;
  /** The active policy of the environment: rules use its detectors if it has them. */
  readonly policy: CompiledPolicy;
}

export interface Imported extends ImportedFiles {
  /** The parts of the source that the files do not contain, or contain with a different meaning, sorted by line. */
  readonly notes: readonly ImportNote[];
}

/**
 * Converts the rules of another system to a policy file and its tests. Every part of the source that is not in the policy is noted.
 *
 * @throws UnreadableSource if the file is not YAML or JSON
 */
export function importRules(input: ImportInput): Imported {
  const { system, text, action, catalog } = input;
  const codesOf = (id: string): ReadonlySet<string> =>
    new Set(Object.keys(catalog.detectors.find(({ meta }) => meta.id === id)?.meta.codes ?? {}));
  const draft = new Draft(
    input.name,
    { pii: codesOf('pii'), secrets: codesOf('secrets') },
    presentIn(input.policy),
    (patterns) => refusalOf(patterns, catalog),
  );
  if (system === 'nemo' && input.source.endsWith('.co')) {
    importColang(text, draft);
  } else {
    const file = readSource(text, system === 'bedrock' ? bedrockKey : undefined);
    if (system === 'litellm') importLitellm(file, draft);
    else if (system === 'bedrock') importBedrock(file, draft);
    else if (system === 'presidio') importPresidio(file, draft, action);
    else importNemo(file, draft);
    draft.finish(file);
  }
  return { ...filesOf(draft, input), notes: draft.notes };
}

/** The error that the `regex` detector would report for a policy with these patterns; undefined if it accepts them. */
function refusalOf(patterns: ReadonlyMap<string, ImportedPattern>, catalog: PluginCatalog): string | undefined {
  const options = catalog.detectors.find(({ meta }) => meta.id === 'regex')?.meta.options;
  const written = [...patterns].map(([code, { pattern, isCaseSensitive }]) => [
    code,
    { pattern, case_sensitive: isCaseSensitive },
  ]);
  const read = options?.safeParse({ patterns: Object.fromEntries(written) as object });
  return read?.success === false ? (read.error.issues[0]?.message ?? 'the detector refuses the pattern') : undefined;
}

/** The detectors to reuse: a second detector of the same plugin would report the same findings. */
function presentIn({ detectors }: CompiledPolicy): Map<ImportDetector, PresentDetector> {
  const plugins = [
    ['pii', 'pii'],
    ['secrets', 'secrets'],
    ['prompt-injection', 'prompt_injection'],
  ] as const;
  return new Map(
    plugins.flatMap(([plugin, detector]) => {
      const found = detectors.find((one) => one.plugin === plugin);
      return found === undefined ? [] : [[detector, { key: found.key, codes: found.codes }]];
    }),
  );
}
