/**
 * The facts about a call that rules can read, with their types. A fact that could not be determined is unknown, which differs from absent.
 */
import { Unknown, type FactValue } from '../model/fact.js';

/**
 * What detectors say about a call of which a part could not be read: what was found counts, and more may be there. Lists may
 * be longer and numbers greater, so some conditions are sure and the others are unknown.
 */
export class AtLeast extends Unknown {
  /** @param found undefined where nothing was found of the kind that a path asks for */
  constructor(
    source: string,
    readonly found: FactValue | undefined,
  ) {
    super('unavailable', source);
  }
}

/** Once true, they stay true however much more is found. */
const GROWING: ReadonlySet<string> = new Set(['gt', 'gte', 'any_of', 'all_of', 'contains', 'exists']);
/** Once false, they stay false however much more is found. */
const SHRINKING: ReadonlySet<string> = new Set(['lt', 'lte']);

/**
 * What an operator says for sure, whatever else would have been found.
 *
 * @param positive the operator that the policy's one is, or is the opposite of
 * @param verdict of the policy's operator on what was found
 */
export function sureTruth(
  { positive, negated }: { readonly positive: string; readonly negated: boolean },
  verdict: boolean | null,
  found: FactValue | undefined,
  value: unknown,
): 'true' | 'false' | 'unknown' {
  if (verdict === null) return 'unknown';
  const holds = verdict !== negated;
  const isSure =
    (holds && GROWING.has(positive)) ||
    (!holds && SHRINKING.has(positive)) ||
    (!holds && isPassed(positive, found, value));
  if (!isSure) return 'unknown';
  return verdict ? 'true' : 'false';
}

/** A number that is greater already never equals a smaller one again. */
function isPassed(positive: string, found: FactValue | undefined, value: unknown): boolean {
  if (typeof found !== 'number') return false;
  if (positive === 'eq') return typeof value === 'number' && found > value;
  return (
    positive === 'in' && Array.isArray(value) && value.every((one: unknown) => typeof one !== 'number' || found > one)
  );
}
