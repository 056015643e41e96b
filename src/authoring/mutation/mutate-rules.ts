import { RULE_ACTIONS } from '../../core/model/actions.js';
import type { RedactSpec, RuleAction } from '../../core/model/decision.js';
import { STAGES, type Stage } from '../../core/model/fact.js';
import { findFact } from '../../core/facts/registry.js';
import type { CompiledException, CompiledPolicy, CompiledRule } from '../../core/model/compiled-policy.js';
import { exceptionRuleName } from '../../core/policy/engine-rules.js';
import type { SourcePlace } from '../../core/model/policy-sources.js';
import { readLeaves } from '../policy-diff/read-leaves.js';
import { classOf } from '../policy-leaves/index.js';
import { conditionMutants } from './mutate-conditions.js';
import { editException, editRule, flipUnknown, moveRule, removeException, removeRule } from './edit-policy.js';
import type { Mutation } from './mutation.js';

const YEAR_MS = 365 * 86_400_000;

/** Mutations of all parts of a rule except its condition. */
export function ruleMutants(rule: CompiledRule, policy: CompiledPolicy): Mutation[] {
  const { id, stage, action, reason } = rule;
  const places = policy.sources.rules[id]!;
  const mutation = (
    text: string,
    path: string,
    apply: Mutation['apply'],
    stages: readonly Stage[] = [stage],
  ): Mutation => ({
    text,
    at: places.fields[path] ?? places.at,
    leaf: `rules[].${path}`,
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
    ...rolloutMutants(rule).map(([text, change]) => mutation(text, 'rollout.percent', edit(change))),
    ...redactMutants(rule, policy),
  ];
}

/** A smaller share of keys for which the rule is enforced. */
function rolloutMutants({ rolloutPercent }: CompiledRule): [string, Partial<CompiledRule>][] {
  if (rolloutPercent === undefined) return [];
  const share = classOf('rules[].rollout.percent').order.mistake(rolloutPercent);
  if (typeof share !== 'number') return [];
  return [[`rollout: ${rolloutPercent} % becomes ${share} %`, { rolloutPercent: share }]];
}

/** The rule with a weaker action, which does not mask. A rule that allows never matches on unknown facts. */
function weakened(policy: CompiledPolicy, id: string, action: RuleAction): CompiledPolicy {
  const matchesUnknown = policy.rules.some((rule) => rule.id === id && rule.onUnknown === 'match');
  const from = action === 'allow' && matchesUnknown ? flipUnknown(policy, id) : policy;
  return editRule(from, id, ({ redact: _redact, ...rule }) => ({ ...rule, action }));
}

function unknownText({ onUnknown }: CompiledRule): string {
  return onUnknown === 'match' ? 'on_unknown: match becomes no_match' : 'on_unknown: no_match becomes match';
}

function redactMutants({ id, stage, redact }: CompiledRule, policy: CompiledPolicy): Mutation[] {
  if (redact === undefined) return [];
  const places = policy.sources.rules[id]!;
  const mutation = (
    text: string,
    field: keyof typeof FIELDS,
    made: RedactSpec,
    at: SourcePlace | undefined = places.fields[FIELDS[field]],
  ): Mutation => ({
    text,
    at: at ?? places.at,
    leaf: `rules[].${FIELDS[field]}`,
    owners: [id],
    stages: [stage],
    apply: (from) => editRule(from, id, (rule) => ({ ...rule, redact: made })),
  });
  const masked = redact.targets.map((target) => {
    const { code, detector } = target;
    const at = places.entities[code] ?? places.entities[`${detector}/${code}`] ?? places.fields['then.redact.entities'];
    const targets = redact.targets.filter((other) => other !== target);
    return mutation(`stop redacting ${code}`, 'targets', { ...redact, targets }, at);
  });
  return [...(masked.length < 2 ? [] : masked), ...replacementMutants(redact, mutation)];
}

const FIELDS = {
  targets: 'then.redact.entities',
  with: 'then.redact.with',
  tokens: 'then.redact.tokens',
  restore: 'then.redact.restore',
} as const satisfies Partial<Record<keyof RedactSpec, string>>;

/** Mutants of what takes the place of a value. With stable tokens, the replacement text is not used. */
function replacementMutants(
  redact: RedactSpec,
  mutation: (text: string, field: keyof typeof FIELDS, made: RedactSpec) => Mutation,
): Mutation[] {
  const { tokens, restore, ...rest } = redact;
  if (tokens === undefined) {
    return [mutation('another replacement text', 'with', { ...redact, with: `${redact.with}*` })];
  }
  const untokened = mutation(`tokens: ${tokens} becomes none`, 'tokens', rest);
  if (restore !== true) return [untokened];
  const { why } = classOf(`rules[].${FIELDS.restore}`);
  // Judged requests end before the answer in which values are restored.
  const unrestored = mutation('restore: true becomes false', 'restore', { ...rest, tokens });
  return [untokened, { ...unrestored, isBeyondTexts: true, why }];
}

/** Another stage in which every fact of the rule can be read. */
function stageFor({ id, stage }: CompiledRule, policy: CompiledPolicy): Stage | undefined {
  const facts = readLeaves(policy, stage)
    .filter(({ owner }) => owner === id)
    .flatMap(({ fact, compared }) => (compared === undefined ? [fact] : [fact, compared]))
    .map((name) => findFact(policy.facts, name));
  return STAGES.find((other) => other !== stage && facts.every((fact) => fact?.stages.includes(other) === true));
}

/** Mutants of an exception: removed, without its condition, with a later end, with the other effect, or for other rules. */
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
    leaf: `exceptions[].${path}`,
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
    ...(conditional ? [mutation('the exception applies unconditionally', 'when', edit({ conditional: false }))] : []),
    ...otherRules(exception, stages, policy).map(([text, rules]) => mutation(text, 'rules', edit({ rules }))),
    ...conditionMutants(owner, stages, policy),
  ];
}

/** The rules of an exception without one of them, and with another one of the same stages. */
function otherRules(
  { rules }: CompiledException,
  stages: readonly Stage[],
  policy: CompiledPolicy,
): [string, readonly string[]][] {
  const fewer = rules.map((rule): [string, readonly string[]] => [
    `the exception no longer names ${rule}`,
    rules.filter((other) => other !== rule),
  ]);
  const added = policy.rules.find(
    ({ id, stage, action }) => action !== 'allow' && stages.includes(stage) && !rules.includes(id),
  );
  return [
    ...(fewer.length < 2 ? [] : fewer),
    ...(added === undefined
      ? []
      : [[`the exception also names ${added.id}`, [...rules, added.id]] as [string, string[]]]),
  ];
}

/** Mutants of policy-wide settings that affect decisions. */
export function settingMutants(policy: CompiledPolicy): Mutation[] {
  const { settings } = policy.sources;
  const mutation = (text: string, path: string, change: Partial<CompiledPolicy>): Mutation[] => {
    const at = settings[path];
    return at === undefined
      ? []
      : [
          {
            text,
            at,
            leaf: path,
            owners: [],
            part: `setting ${path}`,
            stages: STAGES,
            apply: (base) => ({ ...base, ...change }),
          },
        ];
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
