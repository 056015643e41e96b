/** The scores of the detectors' findings, from the stored facts. A mask has no score of its own. */

/** The highest score of a detector's findings. */
interface Score {
  readonly highest: number;
  /** Whether the detector found only one place, so that the score is that of its mask. */
  readonly isOfOne: boolean;
}

interface FoundFacts {
  readonly count: number;
  readonly score: number;
}

/** @param sets the facts of each stage. Undefined if none of them has findings of the detector, as in older records. */
export function scoreOf(sets: readonly unknown[], detector: string): Score | undefined {
  const found = sets.flatMap((facts) => foundBy(facts, detector) ?? []).filter(({ count }) => count > 0);
  if (found.length === 0) return undefined;
  return {
    highest: Math.max(...found.map(({ score }) => score)),
    isOfOne: found.every(({ count }) => count === 1),
  };
}

/** The facts of all stages of a stored event. */
export function stageFacts(facts: Readonly<Record<string, unknown>> | null): readonly unknown[] {
  const stages = facts?.['stages'];
  if (!Array.isArray(stages)) return [];
  return stages.map((stage: unknown) => own(stage, 'facts'));
}

function foundBy(facts: unknown, detector: string): FoundFacts | undefined {
  const found = own(facts, detector);
  const [count, score] = [own(found, 'count'), own(found, 'score')];
  return typeof count === 'number' && typeof score === 'number' ? { count, score } : undefined;
}

function own(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
