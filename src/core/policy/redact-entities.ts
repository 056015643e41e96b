import type { BoundSource } from './bind-detectors.js';
import type { Node } from './source/node.js';
import type { Problems } from './source/problems.js';

/** The detectors and lists to which the entities of a redact rule refer. */
export interface EntityContext {
  readonly conditions: { readonly lists: ReadonlyMap<string, readonly (string | number)[]> };
  readonly detectors: readonly BoundSource[];
  readonly problems: Problems;
}

/** The entities as written, or the entries of the referenced list. */
export function entitiesOf(written: string | readonly string[], node: Node, context: EntityContext): readonly string[] {
  if (typeof written !== 'string') return written;
  const { lists } = context.conditions;
  const entries = lists.get(written.slice('$lists.'.length));
  if (entries !== undefined) return entries.map(String);
  const known = function* (): Iterable<string> {
    for (const name of lists.keys()) yield `$lists.${name}`;
  };
  context.problems.add('G105', node.span, `unknown list "${written}"`, context.problems.suggest(written, known()));
  return [];
}

type Report = (code: 'G121' | 'G124', message: string, hint?: string) => void;

/** Finds the detector of an entity. `CODE` is enough if exactly one detector searches for it; otherwise `detector/CODE` is required. */
export function targetOf(
  entity: string,
  report: Report,
  { detectors, problems }: EntityContext,
): { readonly detector: string; readonly code: string } | undefined {
  const [first = '', second] = entity.split('/');
  const code = second ?? first;
  const candidates = second === undefined ? detectors : detectors.filter(({ binding }) => binding.key === first);
  const enabled = candidates.filter(({ binding }) => binding.codes.includes(code));
  if (enabled.length === 1) return { detector: enabled[0]!.binding.key, code };
  if (enabled.length > 1) {
    const forms = enabled.map(({ binding }) => `${binding.key}/${code}`).join(' or ');
    report('G124', `more than one detector searches for "${code}"`, `write ${forms}`);
    return undefined;
  }
  const dormant = candidates.find(({ declared }) => declared.includes(code));
  if (dormant !== undefined) {
    const { key } = dormant.binding;
    report(
      'G121',
      `the detector "${key}" does not search for ${code}`,
      `add it: detectors.${key}.codes: { add: [${code}] }`,
    );
    return undefined;
  }
  const known = detectors.flatMap(({ binding }) => [
    ...binding.codes,
    ...binding.codes.map((name) => `${binding.key}/${name}`),
  ]);
  report('G124', `unknown entity "${entity}"`, problems.suggest(entity, known));
  return undefined;
}
