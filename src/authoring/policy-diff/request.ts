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

/** One part of a request, in a form that does not depend on a policy. */
export type Part =
  | {
      readonly kind: 'facts';
      readonly facts: Readonly<Record<string, FactValue | undefined>>;
      /** Facts that follow from the facts above; they depend on the plugin options in the policy. */
      readonly follows?: (policy: CompiledPolicy) => Readonly<Record<string, FactValue>>;
    }
  | { readonly kind: 'findings'; readonly detector: string; readonly findings: readonly RawFinding[] }
  /** A text that a detector scans with the options of each policy. */
  | {
      readonly kind: 'text';
      readonly detector: string;
      readonly text: string;
      readonly findings: (policy: CompiledPolicy) => readonly RawFinding[];
    }
  /** The used and reserved amount of a budget. */
  | {
      readonly kind: 'usage';
      /** The facts about the budget under a policy, by dotted name; empty if the policy has no such budget. */
      readonly facts: (policy: CompiledPolicy) => Readonly<Record<string, FactValue>>;
      /** The facts under a policy that has the budget, for display. */
      readonly shown: Readonly<Record<string, FactValue>>;
    }
  /** A detector, a structure plugin or the ledger is unavailable: all facts below these roots are unknown. */
  | {
      readonly kind: 'down';
      readonly source: string;
      readonly roots: readonly string[];
      readonly reason: 'failed' | 'unavailable';
    }
  | { readonly kind: 'answering' }
  /** `isAsked`: a condition reads the clock, so the time is displayed even if it is the current time. */
  | { readonly kind: 'clock'; readonly nowMs: number; readonly isAsked: boolean }
  | { readonly kind: 'client'; readonly monitor: boolean };

/** One value that a variable can take. */
export interface Setting {
  readonly part: Part;
  /** Other values that no condition of any policy distinguishes from this one. */
  readonly alike: readonly string[];
}

/** One aspect of a request that varies independently of the others. */
export interface Variable {
  readonly name: string;
  /** At least one; the simplest is the first. */
  readonly settings: readonly Setting[];
  /** True if the settings are a sample of more kinds than can be listed. */
  readonly sampled: boolean;
}

/** A request of one stage, with one setting per variable. */
export interface Request {
  readonly stage: Stage;
  readonly settings: ReadonlyMap<string, Setting>;
}

/** The judge's input for a request under a policy. */
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

/** Keys of a compiled policy that change if rules, exceptions or lists are edited. */
const RULE_PARTS: ReadonlySet<string> = new Set<keyof CompiledPolicy>(['exceptions', 'lists', 'rules', 'stages']);

/** Whether two versions of a policy differ only in rules, exceptions and lists. */
export function differInRulesAlone(base: CompiledPolicy, next: CompiledPolicy): boolean {
  const parts = Object.keys({ ...base, ...next }) as (keyof CompiledPolicy)[];
  return parts.every((part) => base[part] === next[part] || RULE_PARTS.has(part));
}

/** Whether two versions of a policy have the same facts for every request of a stage. */
export function haveSameFacts(base: CompiledPolicy, next: CompiledPolicy, stage: Stage): boolean {
  const [clocks, others] = [base, next].map((policy) => runtimeOf(policy).stages[stage].clocks.join());
  return clocks === others && differInRulesAlone(base, next);
}

/** Computes a detector's facts under a policy from findings; the policy's codes and minimum scores decide which findings count. */
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

/** Sets facts that follow from others: adds the judged tool call to the new calls, and sets it as the target of flows. */
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
