import type { CallContents, JsonValue } from '../model/call.js';
import { answerKey, answerKeyOfTwo, hash, opposite } from '../decision/answer-key.js';
import type { Decision } from '../model/decision.js';
import { parseOperatorName, runtimeOf, truthOf } from '../decision/policy-runtime.js';
import { comparedFact, engineLeaves, type EngineLeaf } from '../policy/engine-rules.js';
import type { FactSet, Stage } from '../model/fact.js';
import { readFact } from '../facts/read-path.js';
import type { Truth } from '../facts/withheld.js';
import { canonicalJson } from '../json/canonical-json.js';
import type { JudgedStage } from '../judge/judgement.js';
import type { CompiledPolicy, CompiledRule, DetectorBinding, StructureBinding } from '../model/compiled-policy.js';
import { withEntries } from '../policy/list-operands.js';
import { operatorNamed } from '../policy/operators.js';
import { memoizeByObject } from '../model/memoize.js';
import { storedFact, WRITTEN_ROOTS } from './stored-facts.js';
import { maskedKinds } from './masked-kinds.js';

const TRUTHS = { true: 't', false: 'f', unknown: 'n', undecided: 'u' } as const satisfies Record<Truth, string>;

/** One stage of a judgement as it is stored: plain JSON without user-written text. */
export interface StageSnapshot {
  readonly stage: Stage;
  readonly tool_call?: number;
  readonly facts: { readonly [root: string]: JsonValue };
  /** The parts of the call that were not text. */
  readonly contents?: CallContents;
  /** Results of conditions on facts whose values are not stored, by `answerKey`: `t`, `f`, `n` (unknown), `u` (undecided). */
  readonly answers?: { readonly [key: string]: string };
  readonly leaves: { readonly [leaf: string]: boolean | null };
  readonly action: Decision['action'];
  readonly unavailable?: true;
  readonly fired: readonly FiredSnapshot[];
  /** The kinds of findings that rules masked, as `detector/CODE`. Absent if no rule masked, and in records of earlier versions. */
  readonly masked?: readonly string[];
}

export interface FiredSnapshot {
  readonly rule: string;
  readonly action: string;
  readonly enforced: boolean;
  readonly softened_by?: string;
  readonly exception?: string;
  readonly unavailable?: true;
}

/** The stored data of one evaluation, from which any policy can judge the call again. */
export function stageSnapshot(
  policy: CompiledPolicy,
  { stage, toolCall, facts, contents, decision }: JudgedStage,
): StageSnapshot {
  const answers = answersOf(policy, stage, facts, decision.leaves);
  return {
    stage,
    ...(toolCall === undefined ? {} : { tool_call: toolCall }),
    facts: snapshotFacts(facts),
    ...(contents === undefined ? {} : { contents }),
    ...(answers === undefined ? {} : { answers }),
    leaves: decision.leaves,
    action: decision.action,
    ...(decision.unavailable ? { unavailable: true as const } : {}),
    fired: firedSnapshot(decision),
    ...(decision.redact.length === 0 ? {} : { masked: maskedKinds(decision, facts) }),
  };
}

export function firedSnapshot(decision: Pick<Decision, 'fired'>): FiredSnapshot[] {
  return decision.fired.map((rule) => ({
    rule: rule.rule,
    action: rule.action,
    enforced: rule.enforced,
    ...(rule.softenedBy === undefined ? {} : { softened_by: rule.softenedBy }),
    ...(rule.exception === undefined ? {} : { exception: rule.exception }),
    ...(rule.unavailable ? { unavailable: true as const } : {}),
  }));
}

type FindingMakers = Pick<CompiledPolicy, 'detectors' | 'structures' | 'readers'>;

/**
 * Fingerprints of detectors, structure plugins and readers, by key in the policy. Those with equal fingerprints have the same
 * findings in the same text.
 */
export const makersOf = memoizeByObject((policy: FindingMakers): Record<string, string> => {
  const readers = policy.readers.map((one): StructureBinding => ({ ...one, key: one.plugin, options: {} }));
  return Object.fromEntries(
    [...policy.detectors, ...policy.structures, ...readers].map((one) => [one.key, fingerprint(one)]),
  );
});

function fingerprint(binding: DetectorBinding | StructureBinding): string {
  const { plugin, revision, options } = binding;
  const codes = 'codes' in binding ? { codes: [...binding.codes].sort(), minScore: binding.minScore } : {};
  // Options are validated YAML; without their undefined members they are JSON.
  return hash(canonicalJson(JSON.parse(JSON.stringify({ plugin, revision, options, ...codes })) as JsonValue));
}

/** A leaf with the full name of its fact and the value it is compared with. */
export interface NamedLeaf {
  readonly name: string;
  readonly fact: string;
  readonly operator: string;
  /** With the entries of lists in place of their names. */
  readonly value: unknown;
  /** The full name of the other fact if two facts are compared. */
  readonly compared?: string;
  /** Undefined for the condition of an exception. */
  readonly rule?: CompiledRule;
}

const leavesByStage = memoizeByObject((_policy: CompiledPolicy) => new Map<Stage, readonly NamedLeaf[]>());

/** Every leaf that an evaluation of the stage reads: those of its rules and of their exceptions. */
export function namedLeaves(policy: CompiledPolicy, stage: Stage): readonly NamedLeaf[] {
  const byStage = leavesByStage(policy);
  const known = byStage.get(stage);
  if (known !== undefined) return known;
  const { rules } = runtimeOf(policy);
  const { asWritten, exceptions } = policy.stages[stage];
  const made = [...asWritten, ...exceptions].flatMap(({ name, conditions }) =>
    engineLeaves(conditions).map((leaf) => namedLeaf(leaf, policy, rules.get(name ?? ''))),
  );
  byStage.set(stage, made);
  return made;
}

function namedLeaf(leaf: EngineLeaf, policy: CompiledPolicy, rule: CompiledRule | undefined): NamedLeaf {
  const compared = comparedFact(leaf);
  return {
    name: leaf.name,
    fact: leaf.path === undefined ? leaf.fact : `${leaf.fact}.${leaf.path}`,
    operator: leaf.operator,
    value: withEntries(leaf.value, runtimeOf(policy).context),
    ...(compared === undefined ? {} : { compared }),
    ...(rule === undefined ? {} : { rule }),
  };
}

/** The full names of all facts that a leaf reads. */
export function namesRead({ fact, compared }: NamedLeaf): string[] {
  return compared === undefined ? [fact] : [fact, compared];
}

/** Whether the value of a fact is user-written and therefore not stored. */
export function isWritten(fact: string): boolean {
  const [root = '', first] = fact.split('.');
  return WRITTEN_ROOTS.has(root) || root === 'tool_calls' || (root === 'tool' && first === 'args');
}

/** A condition on a value that is not stored; its result is stored instead. */
interface WrittenLeaf {
  readonly leaf: NamedLeaf;
  /** The key of its stored result. */
  readonly key: string;
  /** Whether the result is stored for the opposite operator. */
  readonly negated: boolean;
}

const writtenByStage = memoizeByObject((_policy: CompiledPolicy) => new Map<Stage, readonly WrittenLeaf[]>());

function writtenLeaves(policy: CompiledPolicy, stage: Stage): readonly WrittenLeaf[] {
  const byStage = writtenByStage(policy);
  const known = byStage.get(stage);
  if (known !== undefined) return known;
  const made = namedLeaves(policy, stage)
    .filter((leaf) => namesRead(leaf).some(isWritten))
    .map((leaf): WrittenLeaf => {
      const { absence, op, compared } = parseOperatorName(leaf.operator);
      const key =
        compared === undefined ? answerKey(leaf.fact, absence, op, leaf.value) : answerKeyOfTwo(compared, absence, op);
      return { leaf, key, negated: operatorNamed(op)?.negated === true };
    });
  byStage.set(stage, made);
  return made;
}

/** The results of conditions on facts that are not stored; undefined if there are no such conditions. */
export function answersOf(
  policy: CompiledPolicy,
  stage: Stage,
  facts: FactSet,
  leaves: Decision['leaves'],
): Record<string, string> | undefined {
  const written = writtenLeaves(policy, stage);
  if (written.length === 0) return undefined;
  const answers: Record<string, string> = {};
  for (const { leaf, key, negated } of written) {
    const said = leaf.rule === undefined ? null : (leaves[leaf.name] ?? null);
    const truth: Truth =
      said === null
        ? truthOf(leaf.operator, readFact(facts, leaf.fact), operandIn(facts, leaf), runtimeOf(policy).context)
        : said
          ? 'true'
          : 'false';
    answers[key] = TRUTHS[negated ? opposite(truth) : truth];
  }
  return answers;
}

/** The value with which a leaf compares its fact in one call. */
export function operandIn(facts: FactSet, { compared, value }: Pick<NamedLeaf, 'compared' | 'value'>): unknown {
  return compared === undefined ? value : readFact(facts, compared);
}

function snapshotFacts(facts: FactSet): Record<string, JsonValue> {
  const kept: Record<string, JsonValue> = {};
  for (const [root, value] of Object.entries(facts)) kept[root] = storedFact(root, value);
  return kept;
}
