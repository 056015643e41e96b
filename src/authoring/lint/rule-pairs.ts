import { strengthOf } from '../../core/model/actions.js';
import { SEVERITY_RANK } from '../../core/model/decision.js';
import type { CompiledPolicy, CompiledRule } from '../../core/model/compiled-policy.js';
import { remark, type Remark } from './finding.js';
import { holds, readingsOf, rowOf, treeOf, type RuleTables } from './rule-table.js';
import { engineLeaves, factsOfLeaf } from '../../core/policy/engine-rules.js';

/** The maximum number of compared pairs, which limits the time for large policies. */
const MAX_PAIRS = 4_000;

/** G132 and G133: rules that another rule of the stage makes superfluous, and rules that contradict each other. */
export async function checkPairs(
  policy: CompiledPolicy,
  tables: RuleTables,
  pause?: () => Promise<void>,
): Promise<Remark[]> {
  const roots = new Map(policy.rules.map((rule) => [rule.id, rootsOf(policy, rule)]));
  const found: Remark[] = [];
  let left = MAX_PAIRS;
  for (const [index, one] of policy.rules.entries()) {
    for (const other of policy.rules.slice(index + 1)) {
      if (one.stage !== other.stage || left <= 0) continue;
      // One rule can only imply another if one of them reads a subset of the other's facts.
      const [a, b] = [roots.get(one.id)!, roots.get(other.id)!];
      if (![...a].every((name) => b.has(name)) && ![...b].every((name) => a.has(name))) continue;
      left -= 1;
      const said = compare(policy, one, other, tables);
      if (said !== undefined) found.push(said);
      await pause?.();
    }
  }
  return found;
}

function rootsOf(policy: CompiledPolicy, { id, stage }: CompiledRule): Set<string> {
  const rule = policy.stages[stage].asWritten.find(({ name }) => name === id);
  return new Set(
    (rule === undefined ? [] : engineLeaves(rule.conditions).flatMap(factsOfLeaf)).map(({ fact, path }) =>
      policy.detectors.some(({ key }) => key === fact) ? fact : `${fact}.${path ?? ''}`,
    ),
  );
}

function compare(
  policy: CompiledPolicy,
  one: CompiledRule,
  other: CompiledRule,
  tables: RuleTables,
): Remark | undefined {
  if (isApart(policy, one, other, tables) && isApart(policy, other, one, tables)) return undefined;
  const { complete, rows } = tables.of(policy, [one, other]);
  if (!complete) return undefined;
  const trees = [treeOf(policy, one), treeOf(policy, other)] as const;
  const known = rows.filter((row) => row.known);
  const answers = known.map((row) => [holds(trees[0], row, 'open'), holds(trees[1], row, 'open')] as const);
  const implies = answers.every(([a, b]) => !a || b);
  const implied = answers.every(([a, b]) => !b || a);
  if (!answers.some(([a, b]) => a || b)) return undefined;
  if (implies && implied && one.action !== other.action && one.monitor === other.monitor) {
    const [first, second] = inOrder(policy, one, other);
    const at = policy.sources.rules[second.id]!.at;
    const message = `"${second.id}" (${second.action}) and "${first.id}" (${first.action}) match the same calls`;
    return remark('G133', at, message, 'the stronger action wins: keep only one of the rules');
  }
  const unknown = rows.map((row) => [
    readingsOf(one).every((reading) => holds(trees[0], row, reading)),
    readingsOf(other).every((reading) => holds(trees[1], row, reading)),
  ]);
  if (implies && unknown.every(([a, b]) => !a || b === true) && covers(policy, other, one))
    return shadowed(policy, one, other);
  if (implied && unknown.every(([a, b]) => !b || a === true) && covers(policy, one, other))
    return shadowed(policy, other, one);
  return undefined;
}

/** Whether this rule matches one of the first requests without the other rule. This quick check is sufficient for most pairs. */
function isApart(policy: CompiledPolicy, one: CompiledRule, other: CompiledRule, tables: RuleTables): boolean {
  const { facts: said, samples } = tables.alone(policy, one);
  const others = tables.alone(policy, other);
  if (!others.leaves.every(({ fact }) => said.has(fact))) return false;
  const otherTree = treeOf(policy, other);
  return samples.some(({ facts }) => {
    const row = rowOf(others.leaves, facts);
    return row.known && !holds(otherTree, row, 'open');
  });
}

/** The two rules in the order of the files: a finding is reported at the second. */
function inOrder(
  policy: CompiledPolicy,
  one: CompiledRule,
  other: CompiledRule,
): readonly [CompiledRule, CompiledRule] {
  const [a, b] = [policy.sources.rules[one.id]!.at, policy.sources.rules[other.id]!.at];
  const swapped = a.file === b.file ? b.line < a.line : b.file < a.file;
  return swapped ? [other, one] : [one, other];
}

/** Whether `wide` has every effect of `narrow` whenever both match. */
function covers(policy: CompiledPolicy, wide: CompiledRule, narrow: CompiledRule): boolean {
  if (wide.action === 'allow' || narrow.action === 'allow') return false;
  if (wide.monitor && !narrow.monitor) return false;
  if (wide.rolloutPercent !== undefined || policy.exceptions.some(({ rules }) => rules.includes(wide.id))) return false;
  if (narrow.monitor !== wide.monitor) return false;
  if (wide.action === 'redact' && narrow.action === 'redact') return redactsAll(wide, narrow);
  if (strengthOf(wide.action) !== strengthOf(narrow.action))
    return wide.action === 'block' && narrow.action === 'redact';
  return (
    SEVERITY_RANK[wide.severity] >= SEVERITY_RANK[narrow.severity] &&
    wide.reason === narrow.reason &&
    wide.detail === narrow.detail
  );
}

function redactsAll(wide: CompiledRule, narrow: CompiledRule): boolean {
  const { redact: a } = wide;
  const { redact: b } = narrow;
  if (a === undefined || b === undefined || a.with !== b.with || a.label !== b.label || a.tokens !== b.tokens)
    return false;
  return b.targets.every((target) =>
    a.targets.some((own) => own.detector === target.detector && own.code === target.code),
  );
}

function shadowed(policy: CompiledPolicy, narrow: CompiledRule, wide: CompiledRule): Remark {
  const at = policy.sources.rules[narrow.id]!.at;
  const message =
    `"${narrow.id}" never changes the decision: ` + `"${wide.id}" (${wide.action}) also matches all calls of this rule`;
  return remark('G132', at, message, 'remove this rule, or narrow the other rule');
}
