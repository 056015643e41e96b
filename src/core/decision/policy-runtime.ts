import { Operator, Rule, type RuleProperties } from 'json-rules-engine';
import { RE2JS } from 're2js';
import { CLOCK_ROOT, withClock } from '../facts/clock-facts.js';
import { sureTruth } from '../facts/at-least.js';
import { AtLeast, STAGES, Unknown, type FactSet, type FactValue, type Stage } from '../model/fact.js';
import { Withheld, type Truth } from '../facts/withheld.js';
import type { CompiledPolicy, CompiledRule } from '../model/compiled-policy.js';
import { engineLeaves, factsOfLeaf, type Reading } from '../policy/engine-rules.js';
import { withEntries } from '../policy/list-operands.js';
import { applyOperator, operatorNamed, unknownPart, type OperatorContext } from '../policy/operators.js';
import { numberOf } from '../policy/operator-values.js';
import { recordedTruth, recordedTruthOfTwo } from './answer-key.js';
import { QuestionTable, ruleTree, type RuleTree } from './rule-tree.js';
import { memoizeByObject } from '../model/memoize.js';

/** Data computed once per compiled policy: operators, patterns and look-ups. It contains no state of any evaluation. */
export interface PolicyRuntime {
  readonly context: OperatorContext;
  readonly rules: ReadonlyMap<string, CompiledRule>;
  readonly stages: Readonly<Record<Stage, StageRuntime>>;
}

export interface StageRuntime {
  /**
   * Rules and the conditions of exceptions, by reading. They can be shared by overlapping runs: an engine evaluates a copy of a rule's
   * conditions and stores in the rule only a link to itself. The link is used to read operators, and these are the same for all engines of
   * a stage.
   */
  readonly trees: Readonly<Record<'first' | 'certain', readonly RuleTree[]>>;
  /** The distinct comparisons of the rules in all readings. */
  readonly table: QuestionTable;
  readonly operators: readonly Operator<FactValue>[];
  /**
   * Fact roots that are read with a path; if such a root is a primitive, the engine would ignore the path and compare the primitive.
   */
  readonly rootsWithPath: ReadonlySet<string>;
  /** Names of the time facts that the stage reads, such as `hour.Europe/Berlin`. */
  readonly clocks: readonly string[];
}

/** The runtime of a policy, created on first use and cached as long as the policy exists. */
export const runtimeOf = memoizeByObject(makeRuntime);

function makeRuntime(policy: CompiledPolicy): PolicyRuntime {
  const patterns = new Map<string, RE2JS>();
  const context: OperatorContext = {
    list: (name) => (Object.hasOwn(policy.lists, name) ? policy.lists[name]! : []),
    pattern(source) {
      const known = patterns.get(source);
      if (known !== undefined) return known;
      const compiled = RE2JS.compile(source);
      patterns.set(source, compiled);
      return compiled;
    },
  };
  return {
    context,
    rules: new Map(policy.rules.map((rule) => [rule.id, rule])),
    stages: eachOnFirstUse((stage) => makeStage(policy, stage, context)),
  };
}

/** Creates a stage's runtime on first use, because tools evaluate one stage each of thousands of versions of a policy. */
function eachOnFirstUse<T>(make: (stage: Stage) => T): Readonly<Record<Stage, T>> {
  const made = new Map<Stage, T>();
  const stages = {} as Record<Stage, T>;
  for (const stage of STAGES) {
    Object.defineProperty(stages, stage, {
      enumerable: true,
      get: () => {
        const known = made.get(stage) ?? make(stage);
        made.set(stage, known);
        return known;
      },
    });
  }
  return stages;
}

function makeStage(policy: CompiledPolicy, stage: Stage, context: OperatorContext): StageRuntime {
  const rules = policy.stages[stage];
  const firstRun = [...rules.asWritten, ...rules.exceptions];
  const leaves = [...firstRun, ...rules.certain].flatMap((rule) => engineLeaves(rule.conditions));
  const read = leaves.flatMap(factsOfLeaf);
  const names = [...new Set(leaves.map((leaf) => leaf.operator))];
  const table = new QuestionTable(policy.lists);
  const treeOf = (properties: RuleProperties): RuleTree => ruleTree(new Rule(properties), table);
  return {
    trees: { first: firstRun.map(treeOf), certain: rules.certain.map(treeOf) },
    table,
    operators: names.map((name) => makeOperator(name, context)),
    rootsWithPath: new Set(read.filter(({ path }) => path !== undefined).map(({ fact }) => fact)),
    clocks: [...new Set(read.flatMap(({ fact, path }) => (fact === CLOCK_ROOT && path !== undefined ? [path] : [])))],
  };
}

/** Adds the time facts that a stage's rules read to the facts of a call. @param nowMs milliseconds since the epoch */
export function factsAt(policy: CompiledPolicy, stage: Stage, facts: FactSet, nowMs: number): FactSet {
  return withClock(facts, runtimeOf(policy).stages[stage].clocks, nowMs);
}

interface OperatorName {
  readonly reading: Reading;
  readonly absence: 'unknown' | 'absent_ok' | 'absent_zero';
  /** Whether both sides are names of tools. */
  readonly isToolName: boolean;
  readonly op: string;
  /** The names of both facts if two facts are compared. */
  readonly compared?: readonly [left: string, right: string];
}

const operatorNames = new Map<string, OperatorName>();
/** Policies that accounts upload choose the facts in these names, so the cache is limited. */
const MAX_OPERATOR_NAMES = 10_000;

/**
 * Parses `closed:gte`, `open:absent_ok:eq`, `closed:tool:in` or `open:a@b:gt`: the reading, the treatment of an absent fact, whether
 * tool names are compared, the two compared facts, and the operator. Names come from the compiler and occur in every call, so they are
 * cached.
 */
export function parseOperatorName(name: string): OperatorName {
  const known = operatorNames.get(name);
  if (known !== undefined) return known;
  const parsed = splitOperatorName(name);
  if (operatorNames.size >= MAX_OPERATOR_NAMES) operatorNames.clear();
  operatorNames.set(name, parsed);
  return parsed;
}

function splitOperatorName(name: string): OperatorName {
  const parts = name.split(':');
  const marks = parts.slice(1, -1);
  const [left, right] =
    marks
      .find((mark) => mark.includes('@'))
      ?.split('@')
      .map(decodeURIComponent) ?? [];
  return {
    reading: parts[0] as Reading,
    absence: marks.includes('absent_ok') ? 'absent_ok' : marks.includes('absent_zero') ? 'absent_zero' : 'unknown',
    isToolName: marks.includes('tool'),
    op: parts.at(-1)!,
    ...(left !== undefined && right !== undefined && { compared: [left, right] as const }),
  };
}

/**
 * Creates the engine operator for one reading and operator. The engine has only true and false, so the reading decides how unknown and
 * undecided map to them. The names look like names with decorators. Each complete name is registered as an operator, so that the engine
 * does not compose decorators on every run.
 */
function makeOperator(name: string, context: OperatorContext): Operator<FactValue> {
  const { reading } = parseOperatorName(name);
  return new Operator<FactValue, unknown>(name, (fact, value) => {
    const truth = truthOf(name, fact, value, context);
    switch (truth) {
      case 'true':
        return true;
      case 'false':
        return false;
      case 'unknown':
        return reading === 'closed';
      case 'undecided':
        return reading !== 'open';
    }
  });
}

/** The result of an operator on a fact, before a reading maps unknown and undecided to true or false. */
export function truthOf(name: string, fact: unknown, value: unknown, context: OperatorContext): Truth {
  const { absence, isToolName, op, compared } = parseOperatorName(name);
  let known = fact as FactValue | undefined;
  if (compared !== undefined) {
    const said = truthOfTwo(compared, parseOperatorName(name), known, value as FactValue | undefined);
    if (said !== undefined) return said;
  }
  if (known instanceof Withheld) {
    return recordedTruth(known, absence, op, withEntries(value, context)) ?? known.otherwise;
  }
  if (known instanceof AtLeast) return sureTruthOf(known, name, value, context);
  if (known instanceof Unknown) return 'unknown';
  if (known === undefined || known === null) {
    if (absence === 'unknown') return 'unknown';
    known = absence === 'absent_zero' ? 0 : null;
  }
  const verdict = applyOperator(op, known, value, context, isToolName);
  if (verdict === null) return readsPart(op) && unknownPart(known) !== undefined ? 'unknown' : 'undecided';
  return verdict ? 'true' : 'false';
}

/**
 * The result for two facts whose values cannot be compared; undefined if they can. If the limit is absent or not a single value, the
 * comparison is undecided, so that a limit cannot be bypassed by leaving it out.
 */
function truthOfTwo(
  compared: readonly [left: string, right: string],
  { absence, op }: OperatorName,
  left: FactValue | undefined,
  right: FactValue | undefined,
): Truth | undefined {
  const withheld = [left, right].filter((each) => each instanceof Withheld);
  if (withheld.length > 0) {
    const answers = withheld.map((each) => recordedTruthOfTwo(each, compared, absence, op));
    return answers.every((answer) => answer !== undefined) ? answers[0] : withheld[0]!.otherwise;
  }
  if (right instanceof Unknown) return 'unknown';
  if (left instanceof Unknown && !(left instanceof AtLeast)) return 'unknown';
  if (right === undefined || right === null || typeof right === 'object') return 'undecided';
  const kind = operatorNamed(op)?.definition.value;
  if (kind === 'number') return numberOf(right) === undefined ? 'undecided' : undefined;
  return kind === 'time' && typeof right !== 'string' ? 'undecided' : undefined;
}

/** Whether an operator reads a fact that may be partly known. */
function readsPart(op: string): boolean {
  return operatorNamed(op)?.definition.value === 'flow';
}

function sureTruthOf({ found: all }: AtLeast, name: string, value: unknown, context: OperatorContext): Truth {
  const { absence, isToolName, op } = parseOperatorName(name);
  const operator = operatorNamed(op);
  const found = all ?? (absence === 'absent_zero' ? 0 : undefined);
  if (operator === undefined || found === undefined || found === null || found instanceof Unknown) return 'unknown';
  return sureTruth(operator, applyOperator(op, found, value, context, isToolName), found, value);
}
