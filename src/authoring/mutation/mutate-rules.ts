import { RULE_ACTIONS } from '../../core/model/actions.js';
import type { RuleAction } from '../../core/model/decision.js';
import { STAGES, type Stage } from '../../core/model/fact.js';
import { findFact } from '../../core/facts/registry.js';
import type { CompiledException, CompiledPolicy, CompiledRule } from '../../core/model/compiled-policy.js';
import { exceptionRuleName } from '../../core/policy/engine-rules.js';
import type { SourcePlace } from '../../core/model/policy-sources.js';
import { readLeaves } from '../policy-diff/read-leaves.js';
import { conditionMutants } from './mutate-conditions.js';
import { editException, editRule, flipUnknown, moveRule, removeException, removeRule } from './edit-policy.js';
import type { Mutation } from './mutation.js';

const YEAR_MS = 365 * 86_400_000;

/** Mutations of all parts of a rule except its condition. */
export function ruleMutants(rule: CompiledRule, policy: CompiledPolicy): Mutation[] {
  const { id, stage, action, reason, redact } = rule;
  const places = policy.sources.rules[id]!;
  const mutation = (
    text: string,
    path: string,
    apply: Mutation['apply'],
    stages: readonly Stage[] = [stage],
  ): Mutation => ({
    text,
    at: places.fields[path] ?? places.at,
    owners: [id],
    stages,
    apply,
  });
  const edit = (change: Partial<CompiledRule>) => (base: CompiledPolicy) =>
    editRule(base, id, (one) => ({ ...one, ...change }));
  const { weaker } = RULE_ACTIONS[action];
  const other = stageFor(rule, policy);
  const swapped = reason === 'tool_use_blocked' ? 'content_policy_violation' : 'tool_use_blocked';
  return [
    mutation('remove the rule', 'id', (base) => removeRule(base, id)),
    ...(weaker === undefined
      ? []
      : [mutation(`${action} becomes ${weaker}`, 'then.action', (base) => weakened(base, id, weaker))]),
    mutation(
      rule.monitor ? 'monitor becomes enforce' : 'enforce becomes monitor',
      'mode',
      edit({ monitor: !rule.monitor }),
    ),
    ...(action === 'allow' ? [] : [mutation(unknownText(rule), 'on_unknown', (base) => flipUnknown(base, id))]),
    ...(reason === undefined ? [] : [mutation(`reason becomes ${swapped}`, 'then.reason', edit({ reason: swapped }))]),
    ...(other === undefined
      ? []
      : [mutation(`stage ${stage} becomes ${other}`, 'stage', (base) => moveRule(base, id, other), [stage, other])]),
    ...(redact === undefined ? [] : redactMutants(rule, policy)),
  ];
}

/** The rule with a weaker action, which does not mask. */
function weakened(policy: CompiledPolicy, id: string, action: RuleAction): CompiledPolicy {
  return editRule(policy, id, ({ redact: _redact, ...rule }) => ({ ...rule, action }));
}

function unknownText({ onUnknown }: CompiledRule): string {
  return onUnknown === 'match' ? 'on_unknown: match becomes no_match' : 'on_unknown: no_match becomes match';
}

function redactMutants({ id, stage, redact }: CompiledRule, policy: CompiledPolicy): Mutation[] {
  if (redact === undefined) return [];
  const places = policy.sources.rules[id]!;
  const at = (code: string, detector: string): SourcePlace =>
    places.entities[code] ??
    places.entities[`${detector}/${code}`] ??
    places.fields['then.redact.entities'] ??
    places.at;
  const base = { owners: [id], stages: [stage] };
  const edit = (change: Partial<typeof redact>) => (from: CompiledPolicy) =>
    editRule(from, id, (rule) => ({ ...rule, redact: { ...redact, ...change } }));
  return [
    ...(redact.targets.length < 2
      ? []
      : redact.targets.map((target) => ({
          ...base,
          text: `stop redacting ${target.code}`,
          at: at(target.code, target.detector),
          apply: edit({ targets: redact.targets.filter((other) => other !== target) }),
        }))),
    {
      ...base,
      text: 'another replacement text',
      at: places.fields['then.redact.with'] ?? places.at,
      apply: edit({ with: `${redact.with}*` }),
    },
  ];
}

/** Another stage in which every fact of the rule can be read. */
function stageFor({ id, stage }: CompiledRule, policy: CompiledPolicy): Stage | undefined {
  const facts = readLeaves(policy, stage)
    .filter(({ owner }) => owner === id)
    .flatMap(({ fact, compared }) => (compared === undefined ? [fact] : [fact, compared]))
    .map((name) => findFact(policy.facts, name));
  return STAGES.find((other) => other !== stage && facts.every((fact) => fact?.stages.includes(other) === true));
}

/** Mutants of an exception: removed, without its condition, with a later end, or with the other effect. */
export function exceptionMutants(exception: CompiledException, policy: CompiledPolicy): Mutation[] {
  const { id, effect, conditional, expiresAtMs } = exception;
  const places = policy.sources.exceptions[id]!;
  const owner = exceptionRuleName(id);
  const stages = [
    ...new Set(policy.rules.filter((rule) => exception.rules.includes(rule.id)).map(({ stage }) => stage)),
  ];
  const mutation = (text: string, path: string, apply: Mutation['apply']): Mutation => ({
    text,
    at: places.fields[path] ?? places.at,
    owners: [owner],
    stages,
    apply,
  });
  const edit = (change: Partial<CompiledException>) => (base: CompiledPolicy) =>
    editException(base, id, (one) => ({ ...one, ...change }));
  const otherEffect = effect === 'skip' ? 'monitor' : 'skip';
  return [
    mutation('remove the exception', 'id', (base) => removeException(base, id)),
    mutation('the exception lasts a year longer', 'expires', edit({ expiresAtMs: expiresAtMs + YEAR_MS })),
    mutation(`effect ${effect} becomes ${otherEffect}`, 'effect', edit({ effect: otherEffect })),
    ...(conditional ? [mutation('the exception applies to everybody', 'when', edit({ conditional: false }))] : []),
    ...conditionMutants(owner, stages, policy),
  ];
}

/** Mutants of policy-wide settings that affect decisions. */
export function settingMutants(policy: CompiledPolicy): Mutation[] {
  const { settings } = policy.sources;
  const mutation = (text: string, path: string, change: Partial<CompiledPolicy>): Mutation[] => {
    const at = settings[path];
    return at === undefined
      ? []
      : [{ text, at, owners: [], part: `setting ${path}`, stages: STAGES, apply: (base) => ({ ...base, ...change }) }];
  };
  const fallback = policy.default === 'allow' ? 'block' : 'allow';
  const client = policy.clientMonitorMode === 'honor' ? 'ignore' : 'honor';
  return [
    ...mutation(`default: ${policy.default} becomes ${fallback}`, 'default', { default: fallback }),
    ...mutation(`mode becomes ${policy.monitor ? 'enforce' : 'monitor'}`, 'mode', { monitor: !policy.monitor }),
    ...mutation(`client_monitor_mode becomes ${client}`, 'client_monitor_mode', { clientMonitorMode: client }),
    ...contentsMutants(policy, mutation),
  ];
}

/** Mutants of the settings for unread and unmaskable content: weaker settings, or a stricter one if such content already passes. */
function contentsMutants(
  { media, unread, unmaskable }: CompiledPolicy,
  mutation: (text: string, path: string, change: Partial<CompiledPolicy>) => Mutation[],
): Mutation[] {
  const other = { refuse: 'flag', flag: 'pass', pass: 'flag' } as const;
  const mutants = [
    ...mutation(`media becomes ${other[media]}`, 'media', { media: other[media] }),
    ...(['governed', 'other'] as const).flatMap((key) =>
      mutation(`unread.${key} becomes ${other[unread[key]]}`, `unread.${key}`, {
        unread: { ...unread, [key]: other[unread[key]] },
      }),
    ),
    ...(['documents', 'signed'] as const).flatMap((key) => {
      const answer = unmaskable[key] === 'refuse' ? 'flag' : 'refuse';
      return mutation(`unmaskable.${key} becomes ${answer}`, `unmaskable.${key}`, {
        unmaskable: { ...unmaskable, [key]: answer },
      });
    }),
  ];
  return mutants.map((mutant) => ({ ...mutant, isBeyondTexts: true }));
}
