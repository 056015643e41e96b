import type { Environment } from '../../core/model/compiled-policy.js';
import type { PolicyTestResult } from './run-policy-tests.js';

/** Ids of the tests that concern a rule, by its result in them. */
export interface RuleTests {
  readonly fires: string[];
  readonly rests: string[];
  /** Tests in which it matches because a fact is unavailable. */
  readonly unavailable: string[];
}

/** The tests in which a rule's conditions are evaluated. */
export function testsOfRule(rule: string, environment: Environment, results: readonly PolicyTestResult[]): RuleTests {
  const judged = results.flatMap((result) =>
    result.status !== 'skipped' && result.environment === environment && result.decision !== undefined
      ? [{ id: result.id, decision: result.decision }]
      : [],
  );
  const own = judged.filter(({ decision }) => Object.keys(decision.leaves).some((name) => name.startsWith(`${rule}#`)));
  const fired = (unavailable: boolean) => (one: (typeof own)[number]) =>
    one.decision.fired.some((each) => each.rule === rule && each.unavailable === unavailable);
  const names = (list: readonly { readonly id: string }[]): string[] => list.map(({ id }) => id);
  return {
    fires: names(own.filter(fired(false))),
    unavailable: names(own.filter(fired(true))),
    rests: names(own.filter(({ decision }) => decision.fired.every((each) => each.rule !== rule))),
  };
}
