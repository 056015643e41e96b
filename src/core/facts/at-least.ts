/**
 * The facts about a call that rules can read, with their types. A fact that could not be determined is unknown, which differs from absent.
 */
import type { FactValue } from '../model/fact.js';

/** Operators that, once true, stay true with any further findings. */
const GROWING: ReadonlySet<string> = new Set(['gt', 'gte', 'any_of', 'all_of', 'contains', 'exists']);
/** Operators that, once false, stay false with any further findings. */
const SHRINKING: ReadonlySet<string> = new Set(['lt', 'lte']);

/**
 * The result of an operator if no further finding can change it, else `unknown`.
 *
 * @param positive the policy's operator or, if that is negated, its opposite
 * @param verdict the result of the policy's operator on the known findings
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

/** Whether a number has already exceeded the compared values, so that it can never equal them. */
function isPassed(positive: string, found: FactValue | undefined, value: unknown): boolean {
  if (typeof found !== 'number') return false;
  if (positive === 'eq') return typeof value === 'number' && found > value;
  return (
    positive === 'in' && Array.isArray(value) && value.every((one: unknown) => typeof one !== 'number' || found > one)
  );
}
