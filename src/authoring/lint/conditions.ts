import type { CompiledPolicy, CompiledRule } from '../../core/model/compiled-policy.js';
import type { SourcePlace } from '../../core/model/policy-sources.js';
import { remark, type Remark } from './finding.js';
import { holds, readingsOf, treeOf, type RuleTable, type RuleTables, type Tree } from './rule-table.js';

/**
 * G130 and G131: conditions that are always true or false, and conditions that never change the result, found by enumerating every request
 * that the rule distinguishes. Nothing is reported for a rule with unlimited values (expressions, parts of texts), since only some of its
 * requests could be tried.
 */
export async function checkConditions(
  policy: CompiledPolicy,
  tables: RuleTables,
  pause?: () => Promise<void>,
): Promise<Remark[]> {
  const found: Remark[] = [];
  for (const rule of policy.rules) {
    found.push(...checkRule(policy, rule, tables));
    await pause?.();
  }
  return found;
}

function checkRule(policy: CompiledPolicy, rule: CompiledRule, tables: RuleTables): Remark[] {
  const table = tables.of(policy, [rule]);
  if (!table.complete || table.rows.length === 0) return [];
  const tree = treeOf(policy, rule);
  const constant = constantRule(policy, rule, tree, table);
  return constant.length > 0
    ? constant
    : [...constantLeaves(policy, tree, table), ...redundant(policy, rule, tree, table)];
}

function constantRule(policy: CompiledPolicy, rule: CompiledRule, tree: Tree, { rows }: RuleTable): Remark[] {
  const known = rows.filter((row) => row.known);
  const first = known[0];
  if (first === undefined) return [];
  const always = holds(tree, first, 'open');
  if (known.some((row) => holds(tree, row, 'open') !== always)) return [];
  const at = policy.sources.rules[rule.id]!.at;
  const what = always ? 'matches every call' : 'can never match';
  const hint = always ? 'if this is intended, add an ignore comment' : 'two of its conditions exclude each other';
  return [
    remark('G130', at, `the rule "${rule.id}" ${what}`, tree.kind === 'leaf' || isSingle(tree) ? undefined : hint),
  ];
}

function isSingle(tree: Tree): boolean {
  return tree.kind !== 'leaf' && tree.items.length === 1 && tree.items[0]!.kind === 'leaf';
}

/** G130 for leaves with the same truth value in every request without unknown facts. */
function constantLeaves(policy: CompiledPolicy, tree: Tree, { leaves, rows }: RuleTable): Remark[] {
  if (isSingle(tree)) return [];
  return leaves.flatMap(({ name, fact }) => {
    const truths = new Set(rows.filter((row) => row.known).map((row) => row.truths.get(name)));
    const [only] = truths;
    if (truths.size !== 1 || (only !== 'true' && only !== 'false')) return [];
    const place = ownPlace(policy, name);
    return place === undefined ? [] : [remark('G130', place, `this condition on "${fact}" is always ${only}`)];
  });
}

/** G131 for leaves without which the rule has the same result in every request. */
function redundant(policy: CompiledPolicy, rule: CompiledRule, whole: Tree, table: RuleTable): Remark[] {
  const readings = readingsOf(rule);
  const wanted = readings.map((reading) => table.rows.map((row) => holds(whole, row, reading)));
  const isSame = (tree: Tree): boolean =>
    readings.every((reading, index) => table.rows.every((row, at) => holds(tree, row, reading) === wanted[index]![at]));
  const found: Remark[] = [];
  let tree = whole;
  for (const { name, fact } of table.leaves) {
    const place = ownPlace(policy, name);
    const constant = new Set(table.rows.filter((row) => row.known).map((row) => row.truths.get(name))).size === 1;
    const without = constant || place === undefined ? undefined : withoutLeaf(tree, name);
    if (place === undefined || without === undefined || !isSame(without)) continue;
    found.push(
      remark(
        'G131',
        place,
        `the condition on "${fact}" never changes the result`,
        impliedBy(policy, tree, name, table),
      ),
    );
    tree = without;
  }
  return found;
}

/** The position of a leaf that belongs to one rule; undefined for a leaf of a named condition, which other rules may need. */
function ownPlace(policy: CompiledPolicy, leaf: string): SourcePlace | undefined {
  const place = policy.sources.leaves[leaf];
  return place === undefined || place.use.length > 0 ? undefined : place.at;
}

/** The tree without a leaf; undefined if the leaf is the only member of its group. */
function withoutLeaf(tree: Tree, name: string): Tree | undefined {
  if (tree.kind === 'leaf') return undefined;
  if (tree.items.some((item) => item.kind === 'leaf' && item.name === name)) {
    const items = tree.items.filter((item) => item.kind !== 'leaf' || item.name !== name);
    return items.length === 0 ? undefined : { ...tree, items };
  }
  for (const [index, item] of tree.items.entries()) {
    const changed = withoutLeaf(item, name);
    if (changed !== undefined) return { ...tree, items: tree.items.with(index, changed) };
  }
  return undefined;
}

/** A hint that names the sibling that makes the condition superfluous, if a single one does. */
function impliedBy(policy: CompiledPolicy, tree: Tree, name: string, { leaves, rows }: RuleTable): string | undefined {
  const group = groupOf(tree, name);
  if (group === undefined) return undefined;
  for (const item of group.items) {
    if (item.kind !== 'leaf' || item.name === name) continue;
    const [from, to] = group.kind === 'all' ? [item.name, name] : [name, item.name];
    if (!rows.every(({ truths }) => truths.get(from) !== 'true' || truths.get(to) === 'true')) continue;
    const other = leaves.find((leaf) => leaf.name === item.name)!;
    const line = policy.sources.leaves[item.name]?.at.line;
    const where = line === undefined ? '' : ` on line ${line}`;
    return group.kind === 'all' ? `implied by "${other.fact}"${where}` : `this implies "${other.fact}"${where}`;
  }
  return 'the other conditions decide the result';
}

function groupOf(tree: Tree, name: string): Exclude<Tree, { kind: 'leaf' }> | undefined {
  if (tree.kind === 'leaf') return undefined;
  if (tree.items.some((item) => item.kind === 'leaf' && item.name === name)) return tree;
  for (const item of tree.items) {
    const found = groupOf(item, name);
    if (found !== undefined) return found;
  }
  return undefined;
}
