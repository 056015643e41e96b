import { strengthOf } from '../../core/model/actions.js';
import { z } from 'zod';
import type { CompiledException, CompiledPolicy, CompiledRule } from '../../core/model/compiled-policy.js';

export const POLICY_CHANGE = z.strictObject({
  change: z.enum(['added', 'removed', 'changed']),
  what: z.enum(['rule', 'exception', 'budget', 'list', 'detector', 'setting']),
  id: z.string(),
  /** What differs, such as `action block → flag`. */
  details: z.array(z.string()),
  /** True when what the text says is plainly less than before; conditions are compared by trying requests. */
  weaker: z.boolean(),
});

/** One thing that two policies say differently. */
export type PolicyChange = z.infer<typeof POLICY_CHANGE>;

const DAY_MS = 86_400_000;

/**
 * Everything that differs between two compiled policies, as reviewers want to read it.
 *
 * @param nowMs milliseconds since the epoch: how far away the end of an exception is
 */
export function policyChanges(base: CompiledPolicy, next: CompiledPolicy, nowMs: number): PolicyChange[] {
  return [
    ...settings(base, next),
    ...rules(base, next),
    ...exceptions(base, next, nowMs),
    ...named('budget', budgetsOf(base), budgetsOf(next)),
    ...named('list', listsOf(base), listsOf(next)),
    ...named('detector', detectorsOf(base), detectorsOf(next)),
  ];
}

function settings(base: CompiledPolicy, next: CompiledPolicy): PolicyChange[] {
  const read = ({
    default: fallback,
    monitor,
    clientMonitorMode,
    content,
    defaultMaxTokens,
    media,
    unread,
    unmaskable,
    onDisconnect,
    deadlineMs,
  }: CompiledPolicy) => ({
    default: fallback,
    mode: monitor ? 'monitor' : 'enforce',
    client_monitor_mode: clientMonitorMode,
    content,
    default_max_tokens: String(defaultMaxTokens ?? 'none'),
    media,
    'unread.governed': unread.governed,
    'unread.other': unread.other,
    'unmaskable.documents': unmaskable.documents,
    'unmaskable.signed': unmaskable.signed,
    on_disconnect: onDisconnect,
    'stages.pre.deadline_ms': String(deadlineMs.pre),
    'stages.post.deadline_ms': String(deadlineMs.post),
    'stages.tool.deadline_ms': String(deadlineMs.tool),
  });
  const [before, after] = [read(base), read(next)];
  const weaker = new Set(['default allow', 'mode monitor', 'client_monitor_mode honor', 'content full']);
  return Object.entries(after).flatMap(([id, value]) => {
    const old = before[id as keyof typeof before];
    if (old === value) return [];
    const isWeaker = weaker.has(`${id} ${value}`) || lessIsRead(id, old, value);
    return [{ change: 'changed', what: 'setting', id, details: [`${old} → ${value}`], weaker: isWeaker }] as const;
  });
}

const UNREAD_STRENGTH = ['pass', 'flag', 'refuse'];

function lessIsRead(id: string, before: string, after: string): boolean {
  const isAboutUnread = id === 'media' || /^un(?:read|maskable)\./.test(id);
  return isAboutUnread && UNREAD_STRENGTH.indexOf(after) < UNREAD_STRENGTH.indexOf(before);
}

function rules(base: CompiledPolicy, next: CompiledPolicy): PolicyChange[] {
  const before = new Map(base.rules.map((rule) => [rule.id, rule]));
  const changes: PolicyChange[] = [];
  for (const rule of next.rules) {
    const id = before.has(rule.id) ? rule.id : rule.formerly.find((name) => before.has(name));
    const old = id === undefined ? undefined : before.get(id);
    if (old !== undefined) before.delete(old.id);
    if (old === undefined) {
      changes.push({ change: 'added', what: 'rule', id: rule.id, details: [summary(rule)], weaker: false });
      continue;
    }
    const { details, weaker } = ruleDetails(old, rule, conditionsOf(base, old) !== conditionsOf(next, rule));
    if (details.length > 0) changes.push({ change: 'changed', what: 'rule', id: rule.id, details, weaker });
  }
  for (const rule of before.values()) {
    const weaker = !rule.monitor && strengthOf(rule.action) > 0;
    changes.push({ change: 'removed', what: 'rule', id: rule.id, details: [summary(rule)], weaker });
  }
  return changes;
}

function summary({ action, stage, monitor }: CompiledRule): string {
  return `${action} at ${stage}${monitor ? ', monitored' : ''}`;
}

function ruleDetails(old: CompiledRule, rule: CompiledRule, isOtherCondition: boolean) {
  const details: string[] = [];
  let weaker = false;
  const compare = (name: string, before: string, after: string, isWeaker = false): void => {
    if (before === after) return;
    details.push(`${name} ${before} → ${after}`);
    weaker ||= isWeaker;
  };
  compare('id', old.id, rule.id);
  compare('mode', old.monitor ? 'monitor' : 'enforce', rule.monitor ? 'monitor' : 'enforce', rule.monitor);
  compare('action', old.action, rule.action, strengthOf(rule.action) < strengthOf(old.action));
  compare('stage', old.stage, rule.stage);
  compare('severity', old.severity, rule.severity);
  compare('on_unknown', old.onUnknown, rule.onUnknown, rule.onUnknown === 'no_match');
  compare('reason', old.reason ?? 'none', rule.reason ?? 'none');
  const share = ({ rolloutPercent = 100 }: CompiledRule): number => rolloutPercent;
  compare('rollout', `${share(old)} %`, `${share(rule)} %`, share(rule) < share(old));
  const masked = ({ redact }: CompiledRule): string[] =>
    (redact?.targets ?? []).map(({ detector, code }) => `${detector}/${code}`).sort();
  const [was, is] = [masked(old), masked(rule)];
  const gone = was.filter((code) => !is.includes(code));
  const added = is.filter((code) => !was.includes(code));
  if (gone.length > 0) details.push(`masks no longer ${gone.join(', ')}`);
  if (added.length > 0) details.push(`masks also ${added.join(', ')}`);
  weaker ||= gone.length > 0;
  if (isOtherCondition) details.push('condition');
  if (details.length === 0 && wording(old) !== wording(rule)) details.push('wording');
  return { details, weaker };
}

function wording({ title, message, detail, category, tags, redact }: CompiledRule): string {
  return JSON.stringify([title, message, detail, category, tags, redact?.with, redact?.label, redact?.tokens]);
}

/** A rule's condition as the engine has it, with its own id taken out: a rename changes no condition. */
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
    if (old === undefined)
      return [{ change: 'added', what: 'exception', id: one.id, details: [told(one, nowMs)], weaker: true }];
    const details: string[] = [];
    if (old.effect !== one.effect) details.push(`effect ${old.effect} → ${one.effect}`);
    if (old.rules.join() !== one.rules.join()) details.push(`rules ${old.rules.join(', ')} → ${one.rules.join(', ')}`);
    if (old.expiresAtMs !== one.expiresAtMs) details.push(`expires ${day(old.expiresAtMs)} → ${day(one.expiresAtMs)}`);
    if (details.length === 0) return [];
    const weaker =
      one.expiresAtMs > old.expiresAtMs || one.effect === 'skip' || one.rules.some((id) => !old.rules.includes(id));
    return [{ change: 'changed', what: 'exception', id: one.id, details, weaker }];
  });
  const removed = [...before.values()].map((one): PolicyChange => ({
    change: 'removed',
    what: 'exception',
    id: one.id,
    details: [told(one, nowMs)],
    weaker: false,
  }));
  return [...changes, ...removed];
}

function told({ effect, rules: ids, expiresAtMs }: CompiledException, nowMs: number): string {
  return `${effect} ${ids.join(', ')}, expires ${inDays(expiresAtMs, nowMs)}`;
}

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** `in 40 days`, `today`, `12 days ago`. */
export function inDays(ms: number, nowMs: number): string {
  const days = Math.trunc((ms - nowMs) / DAY_MS);
  if (days === 0) return ms >= nowMs ? 'within a day' : 'less than a day ago';
  const count = `${Math.abs(days)} day${Math.abs(days) === 1 ? '' : 's'}`;
  return days > 0 ? `in ${count}` : `${count} ago`;
}

function budgetsOf({ budgets }: CompiledPolicy): Map<string, string> {
  return new Map(budgets.map((one) => [one.id, JSON.stringify(one)]));
}

function listsOf({ lists }: CompiledPolicy): Map<string, string> {
  return new Map(Object.entries(lists).map(([name, entries]) => [name, JSON.stringify(entries)]));
}

function detectorsOf({ detectors, structures }: CompiledPolicy): Map<string, string> {
  return new Map([...detectors, ...structures].map((one) => [one.key, JSON.stringify(one)]));
}

function named(
  what: 'budget' | 'list' | 'detector',
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): PolicyChange[] {
  const ids = [...new Set([...before.keys(), ...after.keys()])].sort();
  return ids.flatMap((id): PolicyChange[] => {
    if (before.get(id) === after.get(id)) return [];
    const change = !before.has(id) ? 'added' : !after.has(id) ? 'removed' : 'changed';
    return [{ change, what, id, details: [], weaker: false }];
  });
}
