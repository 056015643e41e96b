import { strengthOf } from '../../core/model/actions.js';
import { z } from 'zod';
import type { JsonValue } from '../../core/model/call.js';
import type {
  BudgetDefinition,
  CompiledException,
  CompiledPolicy,
  CompiledRule,
} from '../../core/model/compiled-policy.js';
import { STAGES } from '../../core/model/fact.js';
import { exceptionRuleName } from '../../core/policy/engine-rules.js';
import {
  classOf,
  dollars,
  leafChanges,
  moneyWitnesses,
  NEUTRAL,
  priceWitnesses,
  shownChange,
  together,
  type Effect,
  type LeafChange,
} from '../policy-leaves/index.js';
import { listEffect } from './list-effect.js';

export const POLICY_CHANGE = z.strictObject({
  change: z.enum(['added', 'removed', 'changed']),
  what: z.enum(['rule', 'exception', 'budget', 'price', 'list', 'detector', 'setting']),
  id: z.string(),
  /** The difference, such as `action block → flag`. */
  details: z.array(z.string()),
  /** True if the policy text alone shows that it is weaker. The effect of conditions is found by trying requests instead. */
  weaker: z.boolean(),
  effect: z
    .enum(['weaker', 'stricter', 'neutral', 'incomparable'])
    .describe(
      'Effect of the changed values. `weaker`: more passes than before; `stricter`: less passes; `neutral`: neither; `incomparable`: not decidable.',
    ),
  evidence: z
    .enum(['requests', 'texts', 'values'])
    .describe(
      'Evidence of the effect: requests that both policies judged, texts that both policies scanned, or the values alone.',
    ),
  why: z.array(z.string()).describe('Reasons of the effect; for budgets, also example calls that show it.'),
});
/** One difference between two policies. */
export type PolicyChange = z.infer<typeof POLICY_CHANGE>;

const DAY_MS = 86_400_000;

/**
 * Every difference between two compiled policies, in words for reviewers.
 *
 * @param nowMs milliseconds since the epoch, for the time until exceptions end
 */
export function policyChanges(base: CompiledPolicy, next: CompiledPolicy, nowMs: number): PolicyChange[] {
  const leaves = leafChanges(base, next);
  const of = (what: LeafChange['what']): LeafChange[] => leaves.filter((one) => one.what === what);
  return [
    ...of('setting').map((one) => changeOf('setting', one.id, [one])),
    ...rules(base, next),
    ...exceptions(base, next, nowMs),
    ...budgetChanges(base, next, of('budget')),
    ...priceChanges(base, next, of('price')),
    ...listChanges(base, next),
    ...detectorChanges(base, next, of('detector')),
  ];
}

function rules(base: CompiledPolicy, next: CompiledPolicy): PolicyChange[] {
  const before = new Map(base.rules.map((rule) => [rule.id, rule]));
  const changes: PolicyChange[] = [];
  for (const rule of next.rules) {
    const id = before.has(rule.id) ? rule.id : rule.formerly.find((name) => before.has(name));
    const old = id === undefined ? undefined : before.get(id);
    if (old !== undefined) before.delete(old.id);
    if (old === undefined) {
      changes.push(partChange('rule', 'added', rule.id, [summary(rule)], presence(rule, next, 'added')));
      continue;
    }
    const { details, effects, leaves } = ruleDetails(old, rule, conditionsOf(base, old) !== conditionsOf(next, rule));
    if (details.length > 0) changes.push(partChange('rule', 'changed', rule.id, details, effects, leaves));
  }
  for (const rule of before.values())
    changes.push(partChange('rule', 'removed', rule.id, [summary(rule)], presence(rule, base, 'removed')));
  return changes;
}

/** @param leaves paths of the leaves that differ */
function partChange(
  what: 'rule' | 'exception',
  change: PolicyChange['change'],
  id: string,
  details: string[],
  effects: readonly Effect[],
  leaves: readonly string[] = [],
): PolicyChange {
  const weaker = effects.includes('weaker');
  return { change, what, id, details, weaker, effect: together(effects), ...evidenceOf(leaves) };
}

/** The effect of an added or removed rule. An allow rule overrides the default of a policy that blocks. */
function presence(
  { action, monitor }: CompiledRule,
  policy: CompiledPolicy,
  change: 'added' | 'removed',
): readonly Effect[] {
  const lifts = action === 'allow' && policy.default === 'block';
  const acts = !monitor && strengthOf(action) > 0;
  if (!lifts && !acts) return ['neutral'];
  return [(change === 'added') === lifts ? 'weaker' : 'stricter'];
}

function summary({ action, stage, monitor }: CompiledRule): string {
  return `${action} at ${stage}${monitor ? ', monitored' : ''}`;
}

function ruleDetails(old: CompiledRule, rule: CompiledRule, isOtherCondition: boolean) {
  const details: string[] = [];
  const effects: Effect[] = [];
  const leaves: string[] = [];
  const compare = (
    name: string,
    leaf: string,
    before: JsonValue,
    after: JsonValue,
    show: (value: JsonValue) => string = String,
  ): void => {
    if (before === after) return;
    details.push(`${name} ${show(before)} → ${show(after)}`);
    effects.push(classOf(`rules[].${leaf}`).order.compare(before, after));
    leaves.push(`rules[].${leaf}`);
  };
  if (old.id !== rule.id) details.push(`id ${old.id} → ${rule.id}`);
  const mode = ({ monitor }: CompiledRule): string => (monitor ? 'monitor' : 'enforce');
  compare('mode', 'mode', mode(old), mode(rule));
  compare('action', 'then.action', old.action, rule.action);
  compare('stage', 'stage', old.stage, rule.stage);
  compare('severity', 'severity', old.severity, rule.severity);
  compare('on_unknown', 'on_unknown', old.onUnknown, rule.onUnknown);
  compare('reason', 'then.reason', old.reason ?? 'none', rule.reason ?? 'none');
  // In quotes, because the text is free and may begin or end with white space.
  const said = (text: JsonValue): string => (text === null ? 'none' : JSON.stringify(text));
  compare('answer', 'then.answer', old.answer ?? null, rule.answer ?? null, said);
  const share = ({ rolloutPercent = 100 }: CompiledRule): number => rolloutPercent;
  compare('rollout', 'rollout.percent', share(old), share(rule), (percent) => `${JSON.stringify(percent)} %`);
  const masked = ({ redact }: CompiledRule): string[] =>
    (redact?.targets ?? []).map(({ detector, code }) => `${detector}/${code}`).sort();
  const [was, is] = [masked(old), masked(rule)];
  const gone = was.filter((code) => !is.includes(code));
  const added = is.filter((code) => !was.includes(code));
  if (gone.length > 0) details.push(`no longer masks ${gone.join(', ')}`);
  if (added.length > 0) details.push(`also masks ${added.join(', ')}`);
  effects.push(classOf('rules[].then.redact.entities').order.compare(was, is));
  compare('tokens', 'then.redact.tokens', old.redact?.tokens ?? 'none', rule.redact?.tokens ?? 'none');
  compare('restore', 'then.redact.restore', old.redact?.restore === true, rule.redact?.restore === true);
  if (isOtherCondition) {
    details.push('condition');
    effects.push('incomparable');
  }
  if (details.length === 0 && wording(old) !== wording(rule)) details.push('wording');
  return { details, effects, leaves };
}

function wording({ title, message, detail, category, tags, redact }: CompiledRule): string {
  return JSON.stringify([title, message, detail, category, tags, redact?.with, redact?.label, redact?.tokens]);
}

/** A rule's engine condition without its own id, so that a renamed rule has an equal condition. */
function conditionsOf(policy: CompiledPolicy, { id, stage }: CompiledRule): string {
  const rule = policy.stages[stage].asWritten.find(({ name }) => name === id);
  return JSON.stringify(rule?.conditions)
    .replaceAll(`"${id}#`, '"#')
    .replaceAll(/"(?:open|closed|known):/g, '"');
}

function exceptions(base: CompiledPolicy, next: CompiledPolicy, nowMs: number): PolicyChange[] {
  const before = new Map(base.exceptions.map((one) => [one.id, one]));
  const changes: PolicyChange[] = next.exceptions.flatMap((one): PolicyChange[] => {
    const old = before.get(one.id);
    before.delete(one.id);
    if (old === undefined) return [partChange('exception', 'added', one.id, [exceptionText(one, nowMs)], ['weaker'])];
    const { details, effects, leaves } = exceptionDetails(
      old,
      one,
      conditionIn(base, one.id) !== conditionIn(next, one.id),
    );
    return details.length === 0 ? [] : [partChange('exception', 'changed', one.id, details, effects, leaves)];
  });
  const removed = [...before.values()].map((one) =>
    partChange('exception', 'removed', one.id, [exceptionText(one, nowMs)], ['stricter']),
  );
  return [...changes, ...removed];
}

function exceptionDetails(old: CompiledException, one: CompiledException, isOtherCondition: boolean) {
  const details: string[] = [];
  const effects: Effect[] = [];
  const leaves: string[] = [];
  const note = (leaf: string, before: JsonValue, after: JsonValue, text: string): void => {
    const effect = classOf(`exceptions[].${leaf}`).order.compare(before, after);
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    details.push(text);
    effects.push(effect);
    leaves.push(`exceptions[].${leaf}`);
  };
  note('effect', old.effect, one.effect, `effect ${old.effect} → ${one.effect}`);
  note('rules', [...old.rules], [...one.rules], `rules ${old.rules.join(', ')} → ${one.rules.join(', ')}`);
  const days = `expires ${day(old.expiresAtMs)} → ${day(one.expiresAtMs)}`;
  note('expires', old.expiresAtMs, one.expiresAtMs, days);
  if (isOtherCondition) {
    details.push('condition');
    effects.push(!one.conditional ? 'weaker' : !old.conditional ? 'stricter' : 'incomparable');
  }
  return { details, effects, leaves };
}

function conditionIn({ stages }: CompiledPolicy, id: string): string {
  const rules = STAGES.flatMap((stage) => stages[stage].exceptions);
  return JSON.stringify(rules.find(({ name }) => name === exceptionRuleName(id))?.conditions ?? null);
}

function exceptionText({ effect, rules: ids, expiresAtMs }: CompiledException, nowMs: number): string {
  return `${effect} ${ids.join(', ')}, expires ${inDays(expiresAtMs, nowMs)}`;
}

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** A time in words: `in 40 days`, `within a day`, `12 days ago`. */
export function inDays(ms: number, nowMs: number): string {
  const days = Math.trunc((ms - nowMs) / DAY_MS);
  if (days === 0) return ms >= nowMs ? 'within a day' : 'less than a day ago';
  const count = `${Math.abs(days)} day${Math.abs(days) === 1 ? '' : 's'}`;
  return days > 0 ? `in ${count}` : `${count} ago`;
}

/** The evidence for a change of a rule or exception: requests, unless a changed leaf can only be compared by value. */
function evidenceOf(leaves: readonly string[]): Pick<PolicyChange, 'evidence' | 'why'> {
  const beyond = leaves.map(classOf).filter(({ comparedBy, order }) => comparedBy === 'values' && order !== NEUTRAL);
  return { evidence: beyond.length === 0 ? 'requests' : 'values', why: beyond.map(({ why }) => why) };
}

/** One change for all changed leaves of a budget, price, detector or setting. */
function changeOf(
  what: 'setting' | 'budget' | 'price' | 'detector',
  id: string,
  leaves: readonly LeafChange[],
  shows: readonly string[] = [],
): PolicyChange {
  const effects = leaves.map(({ effect }) => effect);
  const felt = leaves.filter(({ effect }) => effect !== 'neutral');
  const evidence =
    (['values', 'texts'] as const).find((way) => felt.some((one) => one.comparedBy === way)) ?? 'requests';
  return {
    change: 'changed',
    what,
    id,
    details: leaves.map(({ text }) => text),
    weaker: effects.includes('weaker'),
    effect: together(effects),
    evidence: felt.length === 0 ? 'values' : evidence,
    why: [...shows, ...new Set(felt.map(({ why }) => why))],
  };
}

/** The changed leaves, grouped by id. */
function byThing(leaves: readonly LeafChange[]): [string, LeafChange[]][] {
  const things = new Map<string, LeafChange[]>();
  for (const one of leaves) things.set(one.id, [...(things.get(one.id) ?? []), one]);
  return [...things];
}

function budgetChanges(base: CompiledPolicy, next: CompiledPolicy, leaves: readonly LeafChange[]): PolicyChange[] {
  const byId = ({ budgets }: CompiledPolicy) => new Map(budgets.map((one) => [one.id, one]));
  const [before, after] = [byId(base), byId(next)];
  const shows = (id: string): string[] => moneyWitnesses(before.get(id), after.get(id)).map(({ text }) => text);
  const changed = byThing(leaves).map(([id, own]) => changeOf('budget', id, own, shows(id)));
  const one = (change: 'added' | 'removed', budget: BudgetDefinition): PolicyChange => ({
    ...changeOf('budget', budget.id, [], shows(budget.id)),
    change,
    details: [budgetText(budget)],
    weaker: change === 'removed',
    effect: change === 'removed' ? 'weaker' : 'stricter',
  });
  return [
    ...changed,
    ...[...after.values()].filter(({ id }) => !before.has(id)).map((budget) => one('added', budget)),
    ...[...before.values()].filter(({ id }) => !after.has(id)).map((budget) => one('removed', budget)),
  ];
}

function budgetText({ limit, window, onExceed, scope }: BudgetDefinition): string {
  const amount = limit.unit === 'usd' ? dollars(BigInt(limit.nanoUsd)) : `${limit.tokens} tokens`;
  const whose = scope.length === 0 ? '' : ` for each ${scope.join(' and ')}`;
  return `${onExceed} at ${amount} per ${window.per}${whose}`;
}

function priceChanges(base: CompiledPolicy, next: CompiledPolicy, leaves: readonly LeafChange[]): PolicyChange[] {
  const [{ prices: had = {} }, { prices: has = {} }] = [base, next];
  const changed = byThing(leaves).map(([id, own]) => changeOf('price', id, own, priceWitnesses(id, base, next)));
  const one = (change: 'added' | 'removed', model: string): PolicyChange => {
    const free = change === 'added' && Object.values(has[model]!).some((nanoUsd) => nanoUsd === '0');
    return {
      ...changeOf('price', model, [], [...priceWitnesses(model, base, next), NOT_KNOWN_HERE]),
      change,
      weaker: free,
      effect: free ? 'weaker' : 'incomparable',
    };
  };
  return [
    ...changed,
    ...Object.keys(has)
      .filter((model) => !Object.hasOwn(had, model))
      .map((model) => one('added', model)),
    ...Object.keys(had)
      .filter((model) => !Object.hasOwn(has, model))
      .map((model) => one('removed', model)),
  ];
}

const NOT_KNOWN_HERE = 'The published price is unknown, so the new price can be higher or lower.';

function listChanges({ lists: before, ...base }: CompiledPolicy, next: CompiledPolicy): PolicyChange[] {
  const { lists: after } = next;
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((id): PolicyChange[] => {
    const [was, is] = [before[id] ?? [], after[id] ?? []];
    const [gone, added] = [was.filter((one) => !is.includes(one)), is.filter((one) => !was.includes(one))];
    const change = before[id] === undefined ? 'added' : after[id] === undefined ? 'removed' : 'changed';
    if (change === 'changed' && gone.length + added.length === 0) return [];
    const reader = change === 'removed' ? { ...base, lists: before } : next;
    const effect = listEffect(reader, id, added.length > 0, gone.length > 0);
    const details = change === 'changed' ? [shownChange('lists.*', [...was], [...is])] : [];
    const described = { what: 'list', id, details, weaker: effect === 'weaker', effect, evidence: 'requests' } as const;
    return [{ change, ...described, why: effect === 'neutral' ? [] : [classOf('lists.*').why] }];
  });
}

/** Leaves that also affect the log, which masks and records every finding, even if no rule reads it. */
const OF_THE_LOG: ReadonlySet<string> = new Set(['detectors.*.codes', 'detectors.*.min_score']);
const NOT_IN_LOG =
  'Values that the detector no longer finds are stored unmasked and without a finding, even if no rule uses the detector.';

function detectorChanges(base: CompiledPolicy, next: CompiledPolicy, leaves: readonly LeafChange[]): PolicyChange[] {
  const keys = ({ detectors, structures }: CompiledPolicy): string[] =>
    [...detectors, ...structures].map(({ key }) => key);
  const [had, has] = [keys(base), keys(next)];
  const inLog = (change: PolicyChange): PolicyChange => ({
    ...change,
    evidence: 'values',
    why: [...new Set([NOT_IN_LOG, ...change.why])],
  });
  const changed = byThing(leaves).map(([id, own]) => {
    const finds = own.some(({ leaf, effect }) => OF_THE_LOG.has(leaf) && ['weaker', 'incomparable'].includes(effect));
    const change = changeOf('detector', id, own);
    return finds ? inLog(change) : change;
  });
  const one = (change: 'added' | 'removed', id: string): PolicyChange => {
    const weaker = change === 'removed';
    const whole = { ...changeOf('detector', id, []), change, weaker } as const;
    return weaker ? inLog({ ...whole, effect: 'weaker' }) : { ...whole, effect: 'stricter' };
  };
  return [
    ...changed,
    ...has.filter((id) => !had.includes(id)).map((id) => one('added', id)),
    ...had.filter((id) => !has.includes(id)).map((id) => one('removed', id)),
  ];
}
