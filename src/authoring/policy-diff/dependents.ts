import { parseOperatorName } from '../../core/decision/policy-runtime.js';
import { STAGES, type Stage } from '../../core/model/fact.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { engineLeaves, exceptionRuleName } from '../../core/policy/engine-rules.js';
import { listsIn } from '../../core/policy/list-operands.js';
import { renamedRules } from './changed-rules.js';
import { readLeaves, type ReadLeaf } from './read-leaves.js';

/**
 * The rules that depend on each exception and each list of two policies, by `exception <id>` and `list <name>`. A renamed rule has its id
 * in the next policy.
 */
export function dependentsOf(base: CompiledPolicy, next: CompiledPolicy): ReadonlyMap<string, ReadonlySet<string>> {
  const renamed = renamedRules(base, next);
  const found = new Map<string, Set<string>>();
  const note = (part: string, rules: readonly string[]): void => {
    const known = found.get(part) ?? new Set<string>();
    for (const rule of rules) known.add(renamed.get(rule) ?? rule);
    found.set(part, known);
  };
  for (const policy of [base, next]) {
    const rulesOf = new Map(policy.exceptions.map(({ id, rules }) => [exceptionRuleName(id), rules]));
    for (const { id, rules } of policy.exceptions) note(`exception ${id}`, rules);
    for (const stage of STAGES) {
      const { asWritten, exceptions } = policy.stages[stage];
      for (const { name, conditions } of [...asWritten, ...exceptions]) {
        const lists = engineLeaves(conditions).flatMap(({ value }) => listsIn(value));
        for (const list of new Set(lists)) note(`list ${list}`, rulesOf.get(name) ?? [name]);
      }
    }
  }
  return found;
}

/**
 * Whether two policies have different conditions of these owners on one of the facts. For facts of which only some values are tried, the
 * effect of other conditions is then known only for these values.
 *
 * @param owners rule ids of either policy, and `exception:<id>`
 * @param facts names of facts, of detectors, or of the budgets' facts without the last part
 */
export function readOtherwise(
  policies: readonly [CompiledPolicy, CompiledPolicy],
  stage: Stage,
  owners: ReadonlySet<string>,
  facts: readonly string[],
): boolean {
  const [before, after] = policies.map((policy) =>
    readLeaves(policy, stage)
      .filter((leaf) => owners.has(leaf.owner) && facts.some((name) => reads(leaf, name)))
      .map(({ fact, value, source: { operator } }) => {
        const { absence, op, compared } = parseOperatorName(operator);
        return JSON.stringify([fact, absence, op, compared, value]);
      })
      .sort()
      .join('\n'),
  );
  return before !== after;
}

function reads({ fact, compared }: ReadLeaf, name: string): boolean {
  // The target of a flow is the judged call.
  if (fact === 'flow' && name === 'tool.name') return true;
  return [fact, compared].some((one) => one !== undefined && (one === name || one.startsWith(`${name}.`)));
}
