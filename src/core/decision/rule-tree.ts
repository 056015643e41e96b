import type { Rule } from 'json-rules-engine';
import { Unknown, type FactSet, type FactValue } from '../model/fact.js';
import { readPath, splitFactName } from '../facts/read-path.js';
import type { Truth } from '../facts/withheld.js';
import { comparedFact, factsOfLeaf, LISTS_FACT, type EngineLeaf } from '../policy/engine-rules.js';
import { unknownPart } from '../policy/operators.js';

/** The result of one leaf after a run, without short-circuit. */
export interface LeafOutcome {
  readonly name: string;
  readonly truth: Truth;
  /** For an unknown fact: the detector key, plugin or `budget` that did not answer, else the fact's root. */
  readonly missing?: string;
}

/** One fact compared with one value, in whatever reading: asked once per evaluation, however many leaves ask it. */
interface Question {
  /** Place in the table of facts that the stage reads. */
  readonly fact: number;
  /** Compiled name of an operator that asks it; its reading plays no part. */
  readonly operator: string;
  readonly value: unknown;
  /** Place of the fact that it is compared with, in the same table, where it is compared with one. */
  readonly other?: number;
}

/** A fact that the rules of a stage read. */
interface ReadFact {
  readonly root: string;
  readonly path: readonly string[];
}

interface TreeLeaf {
  readonly name: string;
  /** Place among the questions of the stage. */
  readonly question: number;
  /** Of all facts that it reads. */
  readonly roots: readonly string[];
  /** What it says after a run, where that holds nothing of the call; what is unknown names who did not answer. */
  readonly outcomes: Readonly<Record<Exclude<Truth, 'unknown'>, LeafOutcome>>;
}

type TreeNode = TreeLeaf | { readonly kind: 'all' | 'any'; readonly items: readonly TreeNode[] };

/** A rule, or the condition of an exception, in one reading. */
export interface RuleTree {
  readonly id: string;
  readonly condition: TreeNode;
  /** In the order of the engine's own. */
  readonly leaves: readonly TreeLeaf[];
  /** Facts that the engine needs for it. */
  readonly roots: ReadonlySet<string>;
  readonly rule: Rule;
}

/**
 * What the conditions of one stage ask, each thing once. Questions are told apart by the very objects that the compiler
 * made: two equal ones that are not recognised as such are asked twice, and that is all.
 */
export class QuestionTable {
  readonly questions: Question[] = [];
  readonly facts: ReadFact[] = [];
  private readonly factIndices = new Map<string, number>();
  private readonly questionIndices = new Map<string, number>();
  private readonly objects = new Map<unknown, number>();

  constructor(private readonly lists: FactSet) {}

  /** The place of what a leaf asks. */
  of({ fact, path = '', operator, value }: EngineLeaf): number {
    const asked = operator.slice(operator.indexOf(':') + 1);
    const compared = comparedFact({ value });
    // The operator's name holds the name of the other fact.
    const operand = compared === undefined ? this.operandOf(value) : undefined;
    return indexIn(this.questionIndices, JSON.stringify([fact, path, asked, this.keyOf(operand)]), () =>
      this.questions.push({
        fact: this.factOf(fact, path),
        operator,
        value: operand,
        ...(compared !== undefined && { other: this.factNamed(compared) }),
      }),
    );
  }

  private factNamed(name: string): number {
    const { root, path } = splitFactName(name);
    return this.factOf(root, path.join('.'));
  }

  private factOf(root: string, path: string): number {
    return indexIn(this.factIndices, `${root}\n${path}`, () =>
      this.facts.push({ root, path: path === '' ? [] : path.split('.') }),
    );
  }

  /** Lists do not change while a policy is compiled: they are looked up here instead of in every evaluation. */
  private operandOf(value: unknown): unknown {
    const isReference = typeof value === 'object' && value !== null && 'fact' in value && value.fact === LISTS_FACT;
    return isReference && 'path' in value ? readPath(this.lists, String(value.path).split('.')) : value;
  }

  private keyOf(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return [typeof value, String(value)];
    const known = this.objects.get(value) ?? this.objects.size;
    this.objects.set(value, known);
    return known;
  }
}

function indexIn(indices: Map<string, number>, key: string, add: () => number): number {
  const known = indices.get(key) ?? add() - 1;
  indices.set(key, known);
  return known;
}

/** Takes the conditions of an engine rule apart, once per policy. */
export function ruleTree(rule: Rule, table: QuestionTable): RuleTree {
  const leaves: TreeLeaf[] = [];
  const condition = treeNode(rule.conditions, table, leaves);
  return { id: rule.name, condition, leaves, roots: new Set(leaves.flatMap(({ roots }) => roots)), rule };
}

function treeNode(condition: object, table: QuestionTable, leaves: TreeLeaf[]): TreeNode {
  if ('any' in condition && Array.isArray(condition.any)) {
    return { kind: 'any', items: condition.any.map((item: object) => treeNode(item, table, leaves)) };
  }
  if ('all' in condition && Array.isArray(condition.all)) {
    return { kind: 'all', items: condition.all.map((item: object) => treeNode(item, table, leaves)) };
  }
  const leaf = treeLeaf(condition as EngineLeaf, table);
  leaves.push(leaf);
  return leaf;
}

function treeLeaf(leaf: EngineLeaf, table: QuestionTable): TreeLeaf {
  const { name } = leaf;
  const outcome = <T extends Truth>(truth: T) => Object.freeze({ name, truth });
  return {
    name,
    question: table.of(leaf),
    roots: factsOfLeaf(leaf).map(({ fact }) => fact),
    outcomes: { true: outcome('true'), false: outcome('false'), undecided: outcome('undecided') },
  };
}

/**
 * Whether a condition could hold if what is unknown were known: Kleene's "not false". An empty group holds, as the engine
 * has it.
 */
export function couldHold(node: TreeNode, truths: readonly Truth[]): boolean {
  if (!('items' in node)) return truths[node.question] !== 'false';
  const { kind, items } = node;
  for (const item of items) {
    const holds = couldHold(item, truths);
    if (holds === (kind === 'any')) return holds;
  }
  return kind === 'all' || items.length === 0;
}

/** Reads each fact of a stage once. */
export function readFacts(
  table: QuestionTable,
  rootsWithPath: ReadonlySet<string>,
  facts: FactSet,
): (FactValue | undefined)[] {
  return table.facts.map(({ root, path }) => readPath(safeRoot(facts, root, rootsWithPath), path));
}

/** The engine ignores a path on a primitive and compares the primitive itself: such a root is as good as absent. */
export function safeRoot(facts: FactSet, root: string, rootsWithPath: ReadonlySet<string>): FactValue | undefined {
  if (!Object.hasOwn(facts, root)) return undefined;
  const value = facts[root];
  return rootsWithPath.has(root) && (typeof value !== 'object' || value === null) ? {} : value;
}

/** What the leaves of a rule say, in the order of the engine's own. */
export function leafOutcomes(
  { leaves }: RuleTree,
  { questions }: QuestionTable,
  truths: readonly Truth[],
  values: readonly (FactValue | undefined)[],
): LeafOutcome[] {
  return leaves.map(({ name, roots, question, outcomes }) => {
    const truth = truths[question]!;
    if (truth !== 'unknown') return outcomes[truth];
    const { fact, other } = questions[question]!;
    const isOther = other !== undefined && values[other] instanceof Unknown && !(values[fact] instanceof Unknown);
    return { name, truth, missing: sourceOf(roots[isOther ? 1 : 0]!, values[isOther ? other : fact]) };
  });
}

function sourceOf(root: string, value: FactValue | undefined): string {
  const unknown = value instanceof Unknown ? value : unknownPart(value);
  if (unknown !== undefined) return unknown.source;
  return root === 'budgets' ? 'budget' : root;
}
