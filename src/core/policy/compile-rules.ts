import type { BlockReason, RedactSpec } from '../model/decision.js';
import type { FactDefinition } from '../model/fact.js';
import type { BoundSource } from './bind-detectors.js';
import type { CompiledRule, Environment } from '../model/compiled-policy.js';
import { leavesOf, normalForm, type Condition, type Leaf, type NormalCondition } from './condition-tree.js';
import type { ConditionContext } from './condition-context.js';
import { operatorNamed } from './operators.js';
import { parseCondition } from './parse-condition.js';
import { RULE, type RuleFields } from './policy-format.js';
import { checkOverrides, type ComparisonLimits } from './override-strength.js';
import { entitiesOf, targetOf } from './redact-entities.js';
import { categoryOf, evidenceOf } from './rule-evidence.js';
import type { Owned } from './resolve.js';
import { entryOf, keySpan, nodeAt, valueOf, type MapNode, type Span } from './source/node.js';
import type { Problems } from './source/problems.js';

export interface RuleContext {
  readonly conditions: Omit<ConditionContext, 'stages'>;
  readonly facts: readonly FactDefinition[];
  readonly detectors: readonly BoundSource[];
  readonly environment: Environment;
  /** `defaults.on_unknown`, if the policy has it. */
  readonly defaultOnUnknown: 'match' | 'no_match' | undefined;
  readonly isPolicyMonitored: boolean;
  /** `default: block`: only then do allow rules affect decisions. */
  readonly isDefaultBlock: boolean;
  readonly comparison: ComparisonLimits;
  readonly problems: Problems;
}

export interface RuleSource {
  readonly rule: CompiledRule;
  readonly condition: NormalCondition;
  /** The rule as written, overrides applied. */
  readonly node: MapNode;
  readonly overrides: NonNullable<Owned['overrides']>;
}

const DEFAULT_REPLACEMENT = '[{type}_{n}]';

/** Checks one resolved rule and returns its typed form. Undefined after a problem of form; problems of meaning are reported in any case. */
export function compileRule({ node, policy, overrides = [] }: Owned, context: RuleContext): RuleSource | undefined {
  const { problems } = context;
  checkOverrides(overrides, context);
  const fields = RULE.read(node, problems);
  const stage = fields?.stage;
  const when = valueOf(node, 'when');
  const written = when && parseCondition(when, { ...context.conditions, stages: stage === undefined ? [] : [stage] });
  if (fields === undefined) return undefined;
  const onUnknown = onUnknownOf(node, fields, context);
  checkAction(node, fields, problems);
  checkMode(node, fields, context);
  const redact = redactSpec(node, fields, context);
  if (written === undefined) return undefined;
  checkClientControl(node, fields, written, context);
  const condition = normalForm(written);
  const reason = reasonOf(node, fields, problems);
  const targets = redact?.targets ?? [];
  const leaves = leavesOf(condition);
  const title = fields.title ?? fields.id;
  const rule: CompiledRule = {
    id: fields.id,
    policy,
    title,
    stage: fields.stage,
    severity: fields.severity ?? 'medium',
    category: categoryOf(fields.stage, leaves, targets, context.detectors),
    monitor: fields.mode === 'monitor',
    action: fields.then.action,
    message: fields.message ?? title,
    onUnknown,
    evidence: evidenceOf(leaves, targets, context.conditions.lists),
    formerly: fields.formerly ?? [],
    tags: fields.tags ?? [],
    ...(reason && { reason }),
    ...(fields.then.detail && { detail: fields.then.detail }),
    ...(redact && { redact }),
    ...(fields.then.answer && { answer: fields.then.answer }),
    ...(fields.rollout && { rolloutPercent: fields.rollout.percent }),
    ...(fields.review_by && { reviewBy: fields.review_by }),
  };
  return { rule, condition, node, overrides };
}

/** The result on unknown facts. A block or redact rule must define it; a flag rule defaults to `no_match`. */
function onUnknownOf(node: MapNode, fields: RuleFields, context: RuleContext): 'match' | 'no_match' {
  const { problems } = context;
  const { action } = fields.then;
  if (action === 'allow') {
    if (fields.on_unknown === 'match') {
      const message = 'an allow rule never matches on unknown facts';
      problems.add('G114', keySpan(node, 'on_unknown'), message, 'remove on_unknown');
    }
    return 'no_match';
  }
  const value = fields.on_unknown ?? context.defaultOnUnknown;
  if (action === 'flag') return value ?? 'no_match';
  // An invalid `on_unknown` was reported at its own position.
  if (value === undefined && entryOf(node, 'on_unknown') === undefined) {
    const message = `a ${action} rule must define its result when a fact is unknown`;
    problems.add('G110', idSpan(node), message, 'add "on_unknown: match" (fail closed) or "on_unknown: no_match"');
  }
  if (action === 'block' && value === 'no_match') {
    const message = 'this blocking rule lets the call pass when its facts are unknown';
    problems.add('G111', fields.on_unknown === undefined ? idSpan(node) : keySpan(node, 'on_unknown'), message);
  }
  return value ?? 'match';
}

function idSpan(node: MapNode): Span {
  return (valueOf(node, 'id') ?? node).span;
}

function checkAction(node: MapNode, { then }: RuleFields, problems: Problems): void {
  const where = valueOf(node, 'then')!;
  if (then.action === 'redact' && then.redact === undefined && nodeAt(where, 'redact') === undefined) {
    problems.add('G006', where.span, 'a redact rule needs "redact"', 'such as redact: { entities: [EMAIL] }');
  }
  if (then.action !== 'redact' && nodeAt(where, 'redact') !== undefined) {
    problems.add('G114', keySpan(where, 'redact'), `"redact" has no effect when the action is ${then.action}`);
  }
  for (const key of ['reason', 'detail', 'answer'] as const) {
    if (then.action === 'block' || then[key] === undefined) continue;
    if (key === 'detail' && then.action !== 'allow') continue;
    problems.add('G114', keySpan(where, key), `"${key}" has no effect when the action is ${then.action}`);
  }
}

function checkMode(node: MapNode, fields: RuleFields, { isPolicyMonitored, problems }: RuleContext): void {
  if (fields.mode !== 'monitor' || isPolicyMonitored || valueOf(node, 'review_by') !== undefined) return;
  const message = 'a monitored rule in an enforcing policy needs a review date';
  problems.add('G307', keySpan(node, 'mode'), message, 'add "review_by: <day>"');
}

function reasonOf(node: MapNode, { stage, then }: RuleFields, problems: Problems): BlockReason | undefined {
  if (then.action !== 'block') return undefined;
  if (then.reason === 'tool_use_blocked' && stage === 'pre') {
    const at = nodeAt(node, 'then', 'reason') ?? node;
    problems.add('G115', at.span, '"tool_use_blocked" is for the stages tool and post', 'use content_policy_violation');
  }
  return then.reason ?? (stage === 'tool' ? 'tool_use_blocked' : 'content_policy_violation');
}

function redactSpec(node: MapNode, fields: RuleFields, context: RuleContext): RedactSpec | undefined {
  const { then } = fields;
  if (then.action !== 'redact' || then.redact === undefined) return undefined;
  const { problems } = context;
  const list = nodeAt(node, 'then', 'redact', 'entities');
  const items = list?.kind === 'seq' ? list.items : [];
  const named = entitiesOf(then.redact.entities, list ?? node, context);
  const targets = named.flatMap((entity) => {
    const span = items.find((item) => item.kind === 'scalar' && item.value === entity)?.span ?? list?.span ?? node.span;
    return targetOf(entity, (code, message, hint) => problems.add(code, span, message, hint), context) ?? [];
  });
  const replacement = then.redact.with ?? DEFAULT_REPLACEMENT;
  const odd = replacement.match(/\{[^}]*\}?/g)?.find((part) => part !== '{type}' && part !== '{n}');
  if (odd !== undefined) {
    const at = nodeAt(node, 'then', 'redact', 'with') ?? node;
    problems.add('G007', at.span, `"with" supports {type} and {n}, not ${JSON.stringify(odd)}`);
  }
  checkTokens(node, then.redact, fields.stage, problems);
  const { label, tokens, restore } = then.redact;
  return {
    targets,
    with: replacement,
    ...(tokens && { tokens }),
    ...(restore && { restore }),
    ...(label && { label }),
  };
}

/**
 * Checks the combination of keys: stable tokens exclude `with`, and only values replaced in a request can be restored in its answer.
 */
function checkTokens(
  node: MapNode,
  { tokens, restore, ...redact }: NonNullable<RuleFields['then']['redact']>,
  stage: RuleFields['stage'],
  problems: Problems,
): void {
  const span = (key: string): Span => (nodeAt(node, 'then', 'redact', key) ?? node).span;
  if (tokens !== undefined && redact.with !== undefined) {
    problems.add('G114', span('with'), '"with" has no effect together with "tokens: stable"', 'remove one of them');
  }
  if (restore !== true) return;
  if (tokens === undefined) {
    problems.add('G116', span('restore'), '"restore: true" needs "tokens: stable"', 'add "tokens: stable"');
  }
  if (stage !== 'pre') {
    problems.add('G116', span('restore'), 'only values replaced in a request can be restored', 'use stage pre');
  }
}

/**
 * In production a caller must not be able to soften a rule: a block or redact rule must not depend on the absence of a value that the
 * caller sends, and an allow rule must not depend on its presence. A negated operator matches an absent value; the others, `lt` and
 * `before` included, do not, so they only add calls whose callers send the value. A flag rule affects no call.
 */
function checkClientControl(node: MapNode, fields: RuleFields, written: Condition, context: RuleContext): void {
  if (context.environment !== 'production' || fields.then.action === 'flag') return;
  const accepted = fields.client_controlled === 'accepted';
  if (accepted && fields.because === undefined) {
    context.problems.add('G310', keySpan(node, 'client_controlled'), '"client_controlled: accepted" needs "because"');
  }
  if (accepted) return;
  const isAllow = fields.then.action === 'allow';
  for (const leaf of leavesOf(normalForm(written))) {
    const isCallers = leaf.clientControlled && (isAllow || operatorNamed(leaf.op)?.negated === true);
    if (isCallers || leaf.isComparedWithCallers) reportSoftening(leaf, context.problems);
  }
}

export function reportSoftening(leaf: Leaf, problems: Problems): void {
  const { fact, value } = leaf;
  const name = leaf.isComparedWithCallers && typeof value === 'object' && 'fact' in value ? value.fact : fact;
  const message = `the caller controls "${name}" and could use it to weaken the rule`;
  const hint = 'use a trusted fact (app, key, environment), or add "client_controlled: accepted" with "because"';
  problems.add('G310', leaf.span, message, hint);
}
