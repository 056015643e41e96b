import { factsAt, runtimeOf } from '../../core/decision/policy-runtime.js';
import type { StageToJudge } from '../../core/judge/index.js';
import { factsOfFindings } from '../../core/facts/build-facts.js';
import { Unknown, type FactValue, type Stage } from '../../core/model/fact.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';

/** The findings of a detector in a request, before a policy's codes and scores are applied. */
export interface RawFinding {
  readonly code: string;
  readonly score: number;
}

/** One part of a request, in the form in which it is the same for every policy. */
export type Part =
  | {
      readonly kind: 'facts';
      readonly facts: Readonly<Record<string, FactValue | undefined>>;
      /** What else they decide; under a policy, since its options have a say. */
      readonly follows?: (policy: CompiledPolicy) => Readonly<Record<string, FactValue>>;
    }
  | { readonly kind: 'findings'; readonly detector: string; readonly findings: readonly RawFinding[] }
  /** A text in which a detector looks with the options of each policy. */
  | {
      readonly kind: 'text';
      readonly detector: string;
      readonly text: string;
      readonly findings: (policy: CompiledPolicy) => readonly RawFinding[];
    }
  /** What a budget has used and holds. */
  | {
      readonly kind: 'usage';
      /** What is known of it under a policy, by dotted name; nothing where the policy has no such budget. */
      readonly facts: (policy: CompiledPolicy) => Readonly<Record<string, FactValue>>;
      /** The same under a policy that has it. */
      readonly shown: Readonly<Record<string, FactValue>>;
    }
  /** A detector, a structure plugin or the ledger does not answer: all facts below these roots are unknown. */
  | {
      readonly kind: 'down';
      readonly source: string;
      readonly roots: readonly string[];
      readonly reason: 'failed' | 'unavailable';
    }
  | { readonly kind: 'answering' }
  /** `isAsked`: a condition asks for the time, which is shown even where it is now. */
  | { readonly kind: 'clock'; readonly nowMs: number; readonly isAsked: boolean }
  | { readonly kind: 'client'; readonly monitor: boolean };

/** One value that a variable can take. */
export interface Setting {
  readonly part: Part;
  /** Other values that no condition of either policy tells from this one. */
  readonly alike: readonly string[];
}

/** One thing about a request that varies by itself. */
export interface Variable {
  readonly name: string;
  /** At least one. The first is the plainest. */
  readonly settings: readonly Setting[];
  /** True when the settings are a choice out of more kinds than can be listed. */
  readonly sampled: boolean;
}

/** A whole request of one stage: a setting per variable. */
export interface Request {
  readonly stage: Stage;
  readonly settings: ReadonlyMap<string, Setting>;
}

/** What the judge is asked, as a policy would get it for the request. */
export function inputFor({ stage, settings }: Request, policy: CompiledPolicy, nowMs: number): StageToJudge {
  const facts: Record<string, FactValue> = { environment: policy.environment };
  let clock = nowMs;
  let clientMonitor = false;
  const down: Extract<Part, { kind: 'down' }>[] = [];
  for (const { part } of settings.values()) {
    switch (part.kind) {
      case 'facts':
        for (const [name, value] of Object.entries({ ...part.facts, ...part.follows?.(policy) }))
          setFact(facts, name.split('.'), value);
        break;
      case 'findings':
        facts[part.detector] = findingFacts(part.findings, part.detector, policy);
        break;
      case 'text':
        facts[part.detector] = findingFacts(part.findings(policy), part.detector, policy);
        break;
      case 'usage':
        for (const [name, value] of Object.entries(part.facts(policy))) setFact(facts, name.split('.'), value);
        break;
      case 'down':
        down.push(part);
        break;
      case 'clock':
        clock = part.nowMs;
        break;
      case 'client':
        clientMonitor = part.monitor;
        break;
      case 'answering':
        break;
    }
  }
  derive(facts);
  for (const { source, roots, reason } of down) {
    for (const root of roots) facts[root] = new Unknown(reason, source);
  }
  return {
    stage,
    nowMs: clock,
    facts: factsAt(policy, stage, facts, clock),
    clientMonitor: clientMonitor && policy.clientMonitorMode === 'honor',
  };
}

/** Parts of a policy in which an edit of rules, exceptions and lists shows. */
const RULE_PARTS: ReadonlySet<string> = new Set<keyof CompiledPolicy>(['exceptions', 'lists', 'rules', 'stages']);

/** Whether two versions of a policy are the same in everything but rules, exceptions and lists. */
export function differInRulesAlone(base: CompiledPolicy, next: CompiledPolicy): boolean {
  const parts = Object.keys({ ...base, ...next }) as (keyof CompiledPolicy)[];
  return parts.every((part) => base[part] === next[part] || RULE_PARTS.has(part));
}

/** Whether two versions of a policy get the same facts of every request of a stage. */
export function seeAlike(base: CompiledPolicy, next: CompiledPolicy, stage: Stage): boolean {
  const [clocks, others] = [base, next].map((policy) => runtimeOf(policy).stages[stage].clocks.join());
  return clocks === others && differInRulesAlone(base, next);
}

/** A detector's facts under one policy: only its codes, only from its scores on. */
export function findingFacts(findings: readonly RawFinding[], detector: string, policy: CompiledPolicy): FactValue {
  return factsOfFindings(findingsUnder(findings, detector, policy));
}

/** The findings that count under one policy. */
export function findingsUnder(
  findings: readonly RawFinding[],
  detector: string,
  policy: CompiledPolicy,
): readonly RawFinding[] {
  const binding = policy.detectors.find(({ key }) => key === detector);
  if (binding === undefined) return [];
  return findings.filter(({ code, score }) => binding.codes.includes(code) && score >= (binding.minScore[code] ?? 0));
}

/** Facts that follow from others: the call that is judged is one of the new calls, and what a flow leads to. */
function derive(facts: Record<string, FactValue>): void {
  const tool = facts['tool'];
  const name = isRecord(tool) ? tool['name'] : undefined;
  if (isRecord(facts['flow']) && typeof name === 'string') facts['flow'] = { ...facts['flow'], current: { name } };
  const calls = facts['tool_calls'];
  if (!Array.isArray(calls)) return;
  const listed = calls as readonly FactValue[];
  const all =
    typeof name === 'string' ? [...listed, { ...(tool as object), index: listed.length } as FactValue] : listed;
  facts['tool_calls'] = all;
  if (facts['tool_calls_count'] !== undefined) facts['tool_calls_count'] = all.length;
}

function isRecord(value: FactValue | undefined): value is Readonly<Record<string, FactValue>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Unknown);
}

function setFact(
  facts: Record<string, FactValue>,
  [root = '', ...path]: readonly string[],
  value: FactValue | undefined,
): void {
  const below = facts[root];
  if (path.length === 0) {
    if (value !== undefined) facts[root] = value;
    return;
  }
  const inner: Record<string, FactValue> = isRecord(below) ? { ...below } : {};
  setFact(inner, path, value);
  facts[root] = inner;
}
