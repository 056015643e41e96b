import type { Rule } from 'json-rules-engine';
import { Unknown, type FactSet, type FactValue } from '../model/fact.js';
import { readBelow, readPath, splitFactName } from '../facts/read-path.js';
import type { Truth } from '../facts/withheld.js';
import { comparedFact, factsOfLeaf, LISTS_FACT, type EngineLeaf } from '../policy/engine-rules.js';
import { unknownPart } from '../policy/operators.js';

/** The result of one leaf after a run, without short-circuit. */
export interface LeafOutcome {
  readonly name: string;
  readonly truth: Truth;
  /** For an unknown fact: the failed detector's key, the plugin or `budget`, else the fact's root. */
  readonly missing?: string;
}

/**
 * One distinct comparison of a fact with a value, in any reading. It is evaluated once per evaluation and shared by all leaves that
 * contain it.
 */
interface Question {
  /** Index in the table's facts. */
  readonly fact: number;
  /** Compiled name of an operator for this comparison; the reading in the name is irrelevant. */
  readonly operator: string;
  readonly value: unknown;
  /** Index of the other fact in the table's facts, if two facts are compared. */
  readonly other?: number;
}

/** A fact that the rules of a stage read. */
interface ReadFact {
  readonly root: string;
  readonly path: readonly string[];
}

interface TreeLeaf {
  readonly name: string;
  /** Index in the table's questions. */
  readonly question: number;
  /** The roots of all facts that the leaf reads. */
  readonly roots: readonly string[];
  /** The possible outcomes, shared by all calls; only the unknown one differs per call, because it names the missing source. */
  readonly outcomes: Readonly<Record<Exclude<Truth, 'unknown'>, LeafOutcome>>;
}

type TreeNode = TreeLeaf | { readonly kind: 'all' | 'any'; readonly items: readonly TreeNode[] };

/** A rule, or the condition of an exception, in one reading. */
export interface RuleTree {
  readonly id: string;
  readonly condition: TreeNode;
  /** In the order of the engine's leaves. */
  readonly leaves: readonly TreeLeaf[];
  /** The roots of the facts that the engine needs for this rule. */
  readonly roots: ReadonlySet<string>;
  readonly rule: Rule;
}

/**
 * The distinct comparisons of one stage's conditions. Object operands are distinguished by identity: equal objects that are not
 * identical only cause a repeated evaluation.
 */
export class QuestionTable {
  readonly questions: Question[] = [];
  readonly facts: ReadFact[] = [];
  private readonly factIndices = new Map<string, number>();
  private readonly questionIndices = new Map<string, number>();
  private readonly objects = new Map<unknown, number>();

  constructor(private readonly lists: FactSet) {}

  /** The index of a leaf's question, which is added if it is new. */
  of({ fact, path = '', operator, value }: EngineLeaf): number {
    const asked = operator.slice(operator.indexOf(':') + 1);
    const compared = comparedFact({ value });
    // The operator's name contains the name of the other fact.
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

  /** Lists of a compiled policy never change, so they are looked up here once instead of in every evaluation. */
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

/** Parses the conditions of an engine rule, once per policy. */
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
 * Whether a condition could be true if the unknown facts were known: Kleene's "not false". An empty group is true, as in the engine.
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
  return table.facts.map(({ root, path }) => readBelow(root, safeRoot(facts, root, rootsWithPath), path));
}

/**
 * Replaces a primitive root that is read with a path by an empty object, because the engine would ignore the path and compare the
 * primitive.
 */
export function safeRoot(facts: FactSet, root: string, rootsWithPath: ReadonlySet<string>): FactValue | undefined {
  if (!Object.hasOwn(facts, root)) return undefined;
  const value = facts[root];
  return rootsWithPath.has(root) && (typeof value !== 'object' || value === null) ? {} : value;
}

/** The outcomes of a rule's leaves, in the order of the engine's leaves. */
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
