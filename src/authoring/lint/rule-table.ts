import type { TopLevelCondition } from 'json-rules-engine';
import type { PluginCatalog } from '../../core/detection/catalog.js';
import type { FactSet, Stage } from '../../core/model/fact.js';
import type { Truth } from '../../core/facts/withheld.js';
import type { CompiledPolicy, CompiledRule, StageRules } from '../../core/model/compiled-policy.js';
import { gridOf } from '../policy-diff/grid.js';
import { possible } from '../policy-diff/invariants.js';
import { readLeaves, type ReadLeaf } from '../policy-diff/read-leaves.js';
import { inputFor, type Setting } from '../policy-diff/request.js';
import { spaceOf } from '../policy-diff/variables.js';
import { memoizeByObject } from '../../core/model/memoize.js';

/** A rule's condition as a tree of leaf names. */
export type Tree =
  { readonly kind: 'leaf'; readonly name: string } | { readonly kind: 'all' | 'any'; readonly items: readonly Tree[] };

/** The requests that the conditions of one or two rules distinguish: one row per combination of boundary values. */
export interface RuleTable {
  readonly leaves: readonly ReadLeaf[];
  readonly rows: readonly TableRow[];
  /** False if not every combination could be listed: then there are no rows. */
  readonly complete: boolean;
}

/** The table of one rule, with data for comparing it with other rules. */
interface OwnTable extends RuleTable {
  /** Names of the facts that the rule reads. */
  readonly facts: ReadonlySet<string>;
  /** The first requests that the rule matches. */
  readonly samples: readonly TableRow[];
}

export interface TableRow {
  readonly facts: FactSet;
  readonly truths: ReadonlyMap<string, Truth>;
  /** False if a condition is unknown because a detector or budget is unavailable. */
  readonly known: boolean;
}

const MAX_ROWS = 3_000;
/** Number of requests matched by one rule that are tried on another rule before the table of both rules is built. */
const SAMPLES = 3;

type EngineRules = CompiledPolicy['stages'][Stage]['asWritten'];

/** Lists the requests that rules distinguish. Environments usually share conditions, so tables are cached. */
export class RuleTables {
  private readonly made = new Map<string, RuleTable>();
  private readonly surroundings = new WeakMap<CompiledPolicy, number>();
  private readonly ofRules = new WeakMap<CompiledRule, OwnTable>();
  private readonly numbers = new Map<string, number>();

  constructor(private readonly plugins: PluginCatalog) {}

  /** The table of one rule. */
  alone(policy: CompiledPolicy, rule: CompiledRule): OwnTable {
    const known = this.ofRules.get(rule) ?? ownTable(this.of(policy, [rule]), treeOf(policy, rule));
    this.ofRules.set(rule, known);
    return known;
  }

  /** The table of the given rules of one stage. */
  of(policy: CompiledPolicy, rules: readonly CompiledRule[]): RuleTable {
    const stage = rules[0]!.stage;
    const ids = new Set(rules.map(({ id }) => id));
    const only = <T extends { readonly name?: string }>(all: readonly T[]): T[] =>
      all.filter(({ name }) => name !== undefined && ids.has(name));
    const { asWritten, certain } = policy.stages[stage];
    const [written, sure] = [only(asWritten), only(certain)];
    const key = `${stage} ${JSON.stringify([written, sure], withBigInts)} ${this.surroundingsOf(policy)}`;
    const known = this.made.get(key) ?? tableOf(policy, stage, { written, sure, plugins: this.plugins });
    this.made.set(key, known);
    return known;
  }

  /** A number for everything on which a table depends, except the rules; equal numbers mean equal inputs. */
  private surroundingsOf(policy: CompiledPolicy): number {
    const known = this.surroundings.get(policy);
    if (known !== undefined) return known;
    const { lists, structures, budgets } = policy;
    const detectors = policy.detectors.map(({ key: name, codes, minScore }) => [name, codes, minScore]);
    const plugins = structures.map(({ plugin, options }) => [plugin, options]);
    const text = JSON.stringify([lists, detectors, plugins, budgets], withBigInts);
    const number = this.numbers.get(text) ?? this.numbers.size;
    this.numbers.set(text, number);
    this.surroundings.set(policy, number);
    return number;
  }
}

function ownTable(table: RuleTable, tree: Tree): OwnTable {
  const facts = new Set(table.leaves.map(({ fact }) => fact));
  const samples = table.rows.filter((row) => row.known && holds(tree, row, 'open')).slice(0, SAMPLES);
  return { ...table, facts, samples };
}

function withBigInts(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

const NOTHING: StageRules = { asWritten: [], certain: [], exceptions: [] };
const NO_RULES: Readonly<Record<Stage, StageRules>> = { pre: NOTHING, post: NOTHING, tool: NOTHING };

function tableOf(
  policy: CompiledPolicy,
  stage: Stage,
  { written, sure, plugins }: { written: EngineRules; sure: EngineRules; plugins: PluginCatalog },
): RuleTable {
  const alone: CompiledPolicy = {
    ...policy,
    // Masks, rollouts and exceptions do not affect the truth of conditions.
    rules: [],
    exceptions: [],
    clientMonitorMode: 'ignore',
    stages: { ...NO_RULES, [stage]: { asWritten: written, certain: sure, exceptions: [] } },
  };
  const leaves = readLeaves(alone, stage);
  const space = spaceOf([alone], stage, { plugins, nowMs: 0 });
  const variables = [...space.variables.values()];
  const grid = gridOf(variables, new Map<string, Setting>(), MAX_ROWS);
  const isPossible = possible(policy);
  const rows: TableRow[] = [];
  const complete = grid.complete && variables.every(({ sampled }) => !sampled);
  if (!complete) return { leaves, rows, complete };
  for (const settings of grid.points()) {
    const { facts } = inputFor({ stage, settings }, alone, 0);
    if (!isPossible(facts)) continue;
    rows.push(rowOf(leaves, facts));
  }
  return { leaves, rows, complete };
}

/** The truth of each condition for one request. */
export function rowOf(leaves: readonly ReadLeaf[], facts: FactSet): TableRow {
  const truths = new Map(leaves.map((leaf) => [leaf.name, leaf.inCall(facts)]));
  return { facts, truths, known: ![...truths.values()].includes('unknown') };
}

/** Cached, because each rule's tree is needed for every comparison with another rule. */
const treesOf = memoizeByObject((_policy: CompiledPolicy) => new Map<string, Tree>());

/** The tree of a rule's condition. */
export function treeOf(policy: CompiledPolicy, rule: CompiledRule): Tree {
  const trees = treesOf(policy);
  const found = trees.get(rule.id);
  if (found !== undefined) return found;
  const tree = readTree(policy.stages[rule.stage].asWritten.find(({ name }) => name === rule.id)!.conditions);
  trees.set(rule.id, tree);
  return tree;
}

function readTree(condition: TopLevelCondition | object): Tree {
  for (const kind of ['all', 'any'] as const) {
    const items = (condition as Record<string, unknown>)[kind];
    if (Array.isArray(items)) return { kind, items: items.map((item) => readTree(item as object)) };
  }
  return { kind: 'leaf', name: String((condition as { name?: unknown }).name) };
}

/** How an unknown or undecided leaf counts; the same readings as in the names of the engine's operators. */
type Reading = 'closed' | 'open' | 'known';

/** The result of a tree for one row. */
export function holds(tree: Tree, row: TableRow, reading: Reading): boolean {
  switch (tree.kind) {
    case 'all':
      return tree.items.every((item) => holds(item, row, reading));
    case 'any':
      return tree.items.some((item) => holds(item, row, reading));
    case 'leaf':
      return counts(row.truths.get(tree.name)!, reading);
  }
}

function counts(truth: Truth, reading: Reading): boolean {
  if (truth === 'unknown') return reading === 'closed';
  return truth === 'undecided' ? reading !== 'open' : truth === 'true';
}

/** The two readings that determine the effect of a rule: its condition as written, and as far as it is certain. */
export function readingsOf({ onUnknown }: CompiledRule): readonly Reading[] {
  return onUnknown === 'match' ? ['closed', 'known'] : ['open'];
}
