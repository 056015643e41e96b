import type { Decision } from '../model/decision.js';
import type { FactSet, FactValue } from '../model/fact.js';
import { readFact } from '../facts/read-path.js';

/**
 * The kinds of findings that a decision masks, as `detector/CODE`: those that its redact rules name and that their detectors found.
 * Sorted, each once.
 */
export function maskedKinds({ redact }: Pick<Decision, 'redact'>, facts: FactSet): string[] {
  const kinds = redact
    .flatMap(({ targets }) => targets)
    .filter(({ detector, code }) => {
      const types = readFact(facts, `${detector}.types`);
      return isList(types) && types.includes(code);
    })
    .map(({ detector, code }) => `${detector}/${code}`);
  return [...new Set(kinds)].sort();
}

function isList(value: FactValue | undefined): value is readonly FactValue[] {
  return Array.isArray(value);
}
