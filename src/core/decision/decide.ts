import { masksTexts, refuses, strongestAction, type EnforcingAction } from '../model/actions.js';
import type { CallContents } from '../model/call.js';
import { compareText } from '../model/compare-text.js';
import { Unknown, type FactSet, type Stage } from '../model/fact.js';
import { readFact } from '../facts/read-path.js';
import type { CompiledException, CompiledPolicy, CompiledRule } from '../model/compiled-policy.js';
import { exceptionRuleName } from '../policy/engine-rules.js';
import {
  bySeverityThenRule,
  type Action,
  type BlockReason,
  type Decision,
  type ExceptedRule,
  type FiredRule,
  type RedactSpec,
} from '../model/decision.js';
import { contentsRules } from './contents-rules.js';
import { isInRollout } from './rollout.js';
import type { RuleOutcome } from './run-rules.js';

/** The rule id under which `default: block` reports. */
export const DEFAULT_RULE_ID = 'default';

export interface DecideInput {
  readonly policy: CompiledPolicy;
  readonly stage: Stage;
  readonly nowMs: number;
  readonly facts: FactSet;
  readonly clientMonitor: boolean;
  /** The parts of the call that are not text, if there are any. */
  readonly contents?: CallContents;
  /** Outcomes of the stage's rules with `on_unknown` as written, and of the exceptions' conditions, by id. */
  readonly asWritten: ReadonlyMap<string, RuleOutcome>;
  /** Outcomes of the same rules with conditions on unknown facts taken as false. */
  readonly certain: ReadonlyMap<string, RuleOutcome>;
}

/** A rule that fired, with its effect on the decision. */
interface Fired extends FiredRule {
  /** The enforced action; undefined if the rule only reports. */
  readonly does: EnforcingAction | undefined;
  readonly redact?: RedactSpec;
}

/**
 * Derives the decision from the rules that matched: the strongest enforced action; `flag` leaves it at `allow`. Every rule is
 * evaluated. Ties are broken by severity, then by rule id.
 */
export function decide(input: DecideInput): Decision {
  const excepted: ExceptedRule[] = [];
  const rules = input.policy.rules.filter((rule) => rule.stage === input.stage);
  const fired = rules.flatMap((rule) => fire(rule, input, excepted) ?? []);
  const unlifted = defaultBlock(rules, input);
  if (unlifted !== undefined) fired.push(unlifted);
  fired.push(...unreadContents(input));
  fired.sort(bySeverityThenRule);
  const action = strongestAction(fired.flatMap(({ does }) => does ?? []));
  const refusing = refuses(action) ? fired.filter(({ does }) => does === action) : [];
  // A certain match has priority over an outage and provides the reason.
  const strongest = refusing.find((rule) => !rule.unavailable) ?? refusing[0];
  const redact = fired.flatMap((rule) => (masksTexts(rule.does) && rule.redact ? [rule.redact] : []));
  return {
    action,
    ...(strongest !== undefined && { reason: strongest.reason ?? defaultReason(input.stage) }),
    unavailable: strongest?.unavailable === true,
    missing: unique(fired.flatMap((rule) => rule.missing)),
    fired: fired.map(({ does: _does, redact: _redact, ...rule }) => rule),
    redact,
    exceptions: unique(excepted.map(({ exception }) => exception)),
    excepted: excepted.sort((a, b) => compareText(a.rule, b.rule)),
    leaves: leavesOf(input),
  };
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)].sort(compareText);
}

function fire(rule: CompiledRule, input: DecideInput, excepted: ExceptedRule[]): Fired | undefined {
  const outcome = input.asWritten.get(rule.id);
  if (rule.action === 'allow' || outcome?.matched !== true) return undefined;
  const missingFacts = input.certain.get(rule.id)?.matched === true ? [] : unknownSources(outcome);
  // Unscanned text cannot be masked: a redact rule whose findings are missing can only allow or block.
  const missingFindings = rule.onUnknown === 'match' ? unscanned(rule, input.facts) : [];
  const does = effectOf(rule.action, missingFindings.length > 0);
  const isUnavailable = input.certain.get(rule.id)?.matched !== true || missingFindings.length > 0;
  const exception = exceptionFor(rule, input);
  if (exception !== undefined) {
    const isIdle = does === 'flag' || softening(rule, input, undefined) !== undefined;
    excepted.push({
      ...{ rule: rule.id, exception: exception.id },
      ...{ kept: isIdle ? null : does, unavailable: isUnavailable },
    });
  }
  if (exception?.effect === 'skip') return undefined;
  const softenedBy = softening(rule, input, exception);
  const missing = unique([...missingFacts, ...missingFindings]);
  const enforced = softenedBy === undefined;
  return {
    ...describe(rule, rule.action, input.stage),
    enforced,
    ...(softenedBy && { softenedBy }),
    ...(softenedBy === 'exception' && { exception: exception?.id }),
    unavailable: isUnavailable,
    missing,
    does: enforced && does !== 'flag' ? does : undefined,
    ...(does !== 'flag' && masksTexts(does) && rule.redact && { redact: rule.redact }),
  };
}

/**
 * The effect of a matched rule if it is enforced. There is no default case, so a new action does not compile until its effect is
 * defined here.
 */
function effectOf(action: Action, isUnscanned: boolean): 'flag' | EnforcingAction {
  switch (action) {
    case 'flag':
      return 'flag';
    case 'redact':
      return isUnscanned ? 'block' : 'redact';
    case 'block':
      return 'block';
  }
}

function describe(rule: CompiledRule, action: Action, stage: Stage) {
  const { id, policy, severity, category, message, reason, detail, answer, evidence } = rule;
  return {
    rule: id,
    policy,
    stage,
    severity,
    category,
    action,
    message,
    evidence,
    ...(reason && { reason }),
    ...(detail && { detail }),
    ...(answer && { answer }),
  };
}

/** Why a rule only reports. Settings of the policy and of the rule have priority over those of the call. */
function softening(
  rule: CompiledRule,
  { policy, facts, clientMonitor }: DecideInput,
  exception: CompiledException | undefined,
): FiredRule['softenedBy'] {
  if (policy.monitor) return 'policy';
  if (rule.monitor || !isInRollout(rule, readFact(facts, 'key.id'))) return 'rule';
  if (exception !== undefined) return 'exception';
  return clientMonitor && policy.clientMonitorMode === 'honor' ? 'client' : undefined;
}

/** The exception that applies to a rule: `skip` before `monitor`, then the first by id. It ends exactly at `expires`. */
function exceptionFor(rule: CompiledRule, { policy, nowMs, asWritten }: DecideInput): CompiledException | undefined {
  return policy.exceptions
    .filter((exception) => exception.rules.includes(rule.id) && nowMs < exception.expiresAtMs)
    .filter((exception) => !exception.conditional || asWritten.get(exceptionRuleName(exception.id))?.matched === true)
    .sort((a, b) => compareText(b.effect, a.effect) || compareText(a.id, b.id))[0];
}

function unknownSources({ leaves }: RuleOutcome): string[] {
  return leaves.flatMap((leaf) => leaf.missing ?? []);
}

/** The detectors of a redact rule's targets that returned no outcome. */
function unscanned(rule: CompiledRule, facts: FactSet): string[] {
  const detectors = unique(rule.redact?.targets.map((target) => target.detector) ?? []);
  return detectors.filter((detector) => {
    const types = readFact(facts, `${detector}.types`);
    return types === undefined || types === null || types instanceof Unknown;
  });
}

/**
 * `default: block` refuses calls that no allow rule certainly matches: always at stage `pre`, at other stages only if the policy has an
 * allow rule for them. The refusal is an outage if an allow rule might have matched with the missing facts.
 */
function defaultBlock(rules: readonly CompiledRule[], input: DecideInput): Fired | undefined {
  const { policy, stage, asWritten, certain, clientMonitor } = input;
  const allowing = rules.filter((rule) => rule.action === 'allow');
  if (policy.default !== 'block' || (stage !== 'pre' && allowing.length === 0)) return undefined;
  const effective = allowing.filter((rule) => {
    const softened = softening(rule, { ...input, clientMonitor: false }, exceptionFor(rule, input));
    return softened === undefined || softened === 'policy';
  });
  if (effective.some((rule) => certain.get(rule.id)?.matched === true)) return undefined;
  const open = effective.flatMap((rule) => {
    const outcome = asWritten.get(rule.id);
    return outcome?.couldMatch === true ? [outcome] : [];
  });
  const missing = unique(open.flatMap(unknownSources));
  const softenedBy = policy.monitor
    ? 'policy'
    : clientMonitor && policy.clientMonitorMode === 'honor'
      ? 'client'
      : undefined;
  return {
    rule: DEFAULT_RULE_ID,
    policy: policy.id,
    stage,
    severity: 'high',
    category: 'policy',
    action: 'block',
    enforced: softenedBy === undefined,
    ...(softenedBy && { softenedBy }),
    message: 'No rule of the policy allows this call',
    reason: defaultReason(stage),
    unavailable: missing.length > 0,
    missing,
    evidence: [],
    does: softenedBy === undefined ? 'block' : undefined,
  };
}

/** The results of the policy's `unread` and `media` settings. */
function unreadContents({ policy, stage, contents, clientMonitor }: DecideInput): Fired[] {
  if (contents === undefined || stage === 'tool') return [];
  return contentsRules(policy, contents, clientMonitor, stage).map((rule) => ({
    ...rule,
    does: rule.enforced && rule.action !== 'flag' ? rule.action : undefined,
  }));
}

function defaultReason(stage: Stage): BlockReason {
  return stage === 'tool' ? 'tool_use_blocked' : 'content_policy_violation';
}

/** Every leaf of the stage's rules, without those of exceptions. */
function leavesOf({ policy, stage, asWritten }: DecideInput): Record<string, boolean | null> {
  const leaves: Record<string, boolean | null> = {};
  for (const rule of policy.rules) {
    if (rule.stage !== stage) continue;
    for (const { name, truth } of asWritten.get(rule.id)?.leaves ?? []) {
      leaves[name] = truth === 'true' ? true : truth === 'false' ? false : null;
    }
  }
  return leaves;
}
