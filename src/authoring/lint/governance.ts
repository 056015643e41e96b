import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import type { Stage } from '../../core/model/fact.js';
import { STAGES } from '../../core/model/fact.js';
import { remark, type Remark } from './finding.js';

const DAY_MS = 86_400_000;
/** An exception that ends within this time is reported. */
const SOON_DAYS = 30;

export interface GovernanceInput {
  readonly policy: CompiledPolicy;
  readonly nowMs: number;
  /** The maximum time until an exception ends, in milliseconds. */
  readonly maxExceptionMs: number | undefined;
}

/**
 * G301 to G304, G307, G308 and G313: exceptions that ended, end soon or last too long, monitored rules with an overdue or without a
 * review, holds that ended, and rules of production that callers can turn off.
 */
export function checkGovernance({ policy, nowMs, maxExceptionMs }: GovernanceInput): Remark[] {
  const exceptions = policy.exceptions.flatMap(({ id, expiresAtMs }) => {
    const place = policy.sources.exceptions[id]!;
    const at = place.fields['expires'] ?? place.at;
    const leftMs = expiresAtMs - nowMs;
    if (leftMs <= 0) {
      return [
        remark(
          'G301',
          at,
          `the exception "${id}" expired ${ago(-leftMs)}: its rules apply again`,
          'remove or renew it',
        ),
      ];
    }
    if (maxExceptionMs !== undefined && leftMs > maxExceptionMs) {
      const message = `the exception "${id}" lasts ${days(leftMs)}, but the project allows ${days(maxExceptionMs)}`;
      return [remark('G303', at, message, 'the limit is `max_exception` in weir.config.yaml')];
    }
    if (leftMs > SOON_DAYS * DAY_MS) return [];
    return [remark('G302', at, `the exception "${id}" expires in ${days(leftMs)}`, 'its rules then apply again')];
  });
  const monitored = policy.rules.flatMap(({ id, monitor, rolloutPercent, reviewBy }) => {
    if (!(monitor || rolloutPercent === 0) || reviewBy === undefined) return [];
    const lateMs = nowMs - (Date.parse(`${reviewBy}T00:00:00Z`) + DAY_MS);
    if (lateMs < 0) return [];
    const place = policy.sources.rules[id]!;
    const at = place.fields['review_by'] ?? place.at;
    return [
      remark(
        'G304',
        at,
        `the review of "${id}" was due by ${reviewBy}`,
        'enforce the rule, remove it, or set a new date',
      ),
    ];
  });
  const held = (policy.retention?.holds ?? []).flatMap(({ id, untilMs }) => {
    const at = policy.sources.settings[`retention.holds.${id}.until`];
    if (at === undefined || untilMs > nowMs) return [];
    const message = `the hold "${id}" ended ${ago(nowMs - untilMs)}: its events now follow the usual retention`;
    return [remark('G308', at, message, 'remove or renew it')];
  });
  return [...exceptions, ...monitored, ...held, ...neverEnforced(policy), ...turnedOffByCallers(policy)];
}

/** G307 for a rollout of 0 %, which is monitor mode by another name; the compiler reports `mode: monitor`. */
function neverEnforced({ rules, sources, ...policy }: CompiledPolicy): Remark[] {
  if (policy.monitor) return [];
  return rules.flatMap(({ id, monitor, rolloutPercent, reviewBy }) => {
    if (monitor || rolloutPercent !== 0 || reviewBy !== undefined) return [];
    const place = sources.rules[id];
    const at = place?.fields['rollout.percent'] ?? place?.at;
    if (at === undefined) return [];
    const message = 'a rule with a rollout of 0 % is only monitored, so it needs a review date';
    return [remark('G307', at, message, 'add "review_by: <day>", or a percentage above 0')];
  });
}

/** G313: with `client_monitor_mode: honor`, whoever holds a key can switch all rules to monitor mode, call by call. */
function turnedOffByCallers({ environment, clientMonitorMode, sources }: CompiledPolicy): Remark[] {
  const at = sources.settings['client_monitor_mode'];
  if (environment !== 'production' || clientMonitorMode !== 'honor' || at === undefined) return [];
  const message = 'in production, every caller can turn the rules off with `monitor_mode: true`';
  return [remark('G313', at, message, 'use `ignore`, or give a reason in an ignore comment')];
}

/** G001 for each stage without a rule. */
export function checkStages(policy: CompiledPolicy): Remark[] {
  const [first] = Object.values(policy.sources.rules);
  const at = policy.sources.settings['default'] ?? first?.at;
  if (at === undefined) return [];
  const judged = new Set<Stage>(policy.rules.map(({ stage }) => stage));
  return STAGES.filter((stage) => !judged.has(stage)).map((stage) =>
    remark(
      'G001',
      at,
      `in ${policy.environment}, no rule judges stage ${stage}`,
      'if this is intended, add an ignore comment',
    ),
  );
}

/** G306: a rule of which only the id changed. History, exceptions and tests refer to the id. */
export function checkRenames(base: CompiledPolicy, policy: CompiledPolicy): Remark[] {
  const ids = new Set(policy.rules.flatMap(({ id, formerly }) => [id, ...formerly]));
  const gone = base.rules.filter(({ id }) => !ids.has(id));
  const before = new Set(base.rules.map(({ id }) => id));
  return policy.rules.flatMap((rule) => {
    if (before.has(rule.id)) return [];
    const same = gone.find((old) => bodyOf(base, old.id) === bodyOf(policy, rule.id));
    if (same === undefined) return [];
    const at = policy.sources.rules[rule.id]!.at;
    return [remark('G306', at, `this rule was previously called "${same.id}"`, `add "formerly: [${same.id}]"`)];
  });
}

/** The conditions and effects of a rule, without its id, for comparison. */
function bodyOf(policy: CompiledPolicy, id: string): string {
  const rule = policy.rules.find((one) => one.id === id)!;
  const conditions = policy.stages[rule.stage].asWritten.find(({ name }) => name === id)?.conditions;
  const body = JSON.stringify([rule.stage, rule.action, rule.reason, rule.redact, rule.onUnknown, conditions]);
  return body.replaceAll(`"${id}#`, '"#');
}

function ago(ms: number): string {
  return `${days(ms)} ago`;
}

function days(ms: number): string {
  const whole = Math.floor(ms / DAY_MS);
  if (whole === 0) return 'less than a day';
  return `${whole} day${whole === 1 ? '' : 's'}`;
}
