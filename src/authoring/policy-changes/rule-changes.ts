import type { PluginCatalog } from '../../core/detection/catalog.js';
import {
  comparePolicies,
  outcomeWord,
  replacementIn,
  requestLine,
  type PolicyComparison,
  type VerdictChange,
} from '../policy-diff/index.js';
import type { CompiledPolicy, CompiledRule } from '../../core/model/compiled-policy.js';
import { exceptionRuleName } from '../../core/policy/engine-rules.js';
import type { JsonValue } from '../../core/model/call.js';
import { describeLeaf, type Leaf } from '../policy-test/leaves.js';
import { policyChanges, type PolicyChange } from './policy-changes.js';

/** A request that shows the effect of a change. */
export interface Witness {
  /** Only the facts and findings that matter for the change. */
  readonly facts: Readonly<Record<string, JsonValue>>;
  /** The facts in words, such as `pii finds EMAIL`. */
  readonly when: string;
  /** The outcome with the base policy, such as `block`; `after`: with the next one. */
  readonly before: string;
  readonly after: string;
}

/** The difference of one rule between two policies, and its effect. */
export interface RuleChange {
  /** The current id; for a removed rule its last one. */
  readonly id: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** `same`: neither more nor less passes. `unknown`: the effect could not be determined. */
  readonly effect: 'stricter' | 'weaker' | 'same' | 'unknown';
  /** The changed fields of the rule itself; empty if only its lists, exceptions or detectors changed. */
  readonly fields: readonly { readonly path: string; readonly before: JsonValue; readonly after: JsonValue }[];
  readonly witness: readonly Witness[];
}

export interface RuleChangesOptions {
  readonly plugins: PluginCatalog;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** The maximum number of requests tried per changed rule; with 0, effects are derived from the text alone. */
  readonly maxRequests: number;
}

const MAX_WITNESSES = 3;

/** The effect of a policy change on each rule, with requests that show it if the search finds any. */
export async function ruleChanges(
  base: CompiledPolicy,
  next: CompiledPolicy,
  { plugins, nowMs, maxRequests }: RuleChangesOptions,
): Promise<{ readonly rules: RuleChange[]; readonly others: PolicyChange[]; readonly complete: boolean }> {
  const written = policyChanges(base, next, nowMs);
  const isSame = base.canonical === next.canonical;
  const comparison =
    maxRequests === 0 || isSame ? undefined : await comparePolicies(base, next, { plugins, nowMs, maxRequests });
  const ofRules = new Map(written.flatMap((one) => (one.what === 'rule' ? [[one.id, one] as const] : [])));
  const shown = new Set([...ofRules.keys(), ...(comparison?.changes ?? []).flatMap(({ rules }) => rules)]);
  const rules = [...shown].sort().map((id): RuleChange => {
    const change = ofRules.get(id);
    const shows = (comparison?.changes ?? []).filter((one) => one.rules.includes(id));
    return {
      id,
      change: change?.change ?? 'changed',
      effect: effectOf(id, shows, comparison, change, isSame),
      fields: fieldChanges(base, next, id),
      witness: shows.slice(0, MAX_WITNESSES).map(witnessOf),
    };
  });
  const complete = isSame || (comparison?.searched ?? [{ complete: false }]).every((one) => one.complete);
  return { rules, others: written.filter(({ what }) => what !== 'rule'), complete };
}

function effectOf(
  id: string,
  shows: readonly VerdictChange[],
  comparison: PolicyComparison | undefined,
  change: PolicyChange | undefined,
  isSame: boolean,
): RuleChange['effect'] {
  if (shows.some(({ direction }) => direction === 'weaker')) return 'weaker';
  if (shows.some(({ direction }) => direction === 'stricter')) return 'stricter';
  if (shows.length > 0 || isSame) return 'same';
  const sampled = comparison?.searched.some((one) => one.sampled.includes(id)) ?? true;
  if (!sampled) return 'same';
  return change?.weaker === true ? 'weaker' : 'unknown';
}

function witnessOf({ request, before, after }: VerdictChange): Witness {
  const { facts, findings, unavailable, at, monitorMode } = request;
  const found = Object.entries(findings).map(
    ([detector, list]) => [detector, list.map(({ code }) => code)] as [string, string[]],
  );
  return {
    facts: {
      ...(facts as Record<string, JsonValue>),
      ...Object.fromEntries(found),
      ...(unavailable.length === 0 ? {} : { unavailable: [...unavailable] }),
      ...(at === undefined ? {} : { at }),
      ...(monitorMode === true ? { monitor_mode: true } : {}),
    },
    when: requestLine(request),
    before: outcomeWord(before),
    after: outcomeWord(after),
  };
}

function fieldChanges(base: CompiledPolicy, next: CompiledPolicy, id: string): RuleChange['fields'] {
  const rule = next.rules.find((one) => one.id === id);
  const old = base.rules.find((one) => one.id === id || rule?.formerly.includes(one.id) === true);
  const [before, after] = [readable(base, old), readable(next, rule)];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((path) => {
    const [was, is] = [before[path] ?? null, after[path] ?? null];
    return JSON.stringify(was) === JSON.stringify(is) ? [] : [{ path, before: was, after: is }];
  });
}

/** The fields of a rule by their names in policy files. */
function readable(policy: CompiledPolicy, rule: CompiledRule | undefined): Record<string, JsonValue | undefined> {
  if (rule === undefined) return {};
  const engine = policy.stages[rule.stage].asWritten.find(({ name }) => name === rule.id);
  return {
    id: rule.id,
    title: rule.title,
    stage: rule.stage,
    severity: rule.severity,
    category: rule.category,
    mode: rule.monitor ? 'monitor' : 'enforce',
    when: engine === undefined ? undefined : conditionText(engine.conditions),
    on_unknown: rule.onUnknown,
    'then.action': rule.action,
    'then.reason': rule.reason,
    'then.detail': rule.detail,
    'then.answer': rule.answer,
    'then.redact.entities': rule.redact?.targets.map(({ code }) => code).sort(),
    'then.redact.with': rule.redact && replacementIn(rule.redact),
    'then.redact.label': rule.redact?.label,
    message: rule.message,
    'rollout.percent': rule.rolloutPercent,
    review_by: rule.reviewBy,
    tags: [...rule.tags],
  };
}

/** The condition of an exception in one line; null if it applies to every call. */
export function exceptionCondition({ stages }: CompiledPolicy, id: string): string | null {
  const rules = Object.values(stages).flatMap(({ exceptions }) => exceptions);
  const found = rules.find(({ name }) => name === exceptionRuleName(id));
  return found === undefined ? null : conditionText(found.conditions);
}

/** A condition in one line: `all(pii.types any_of ["EMAIL"], model.name in $lists.models)`. */
function conditionText(condition: object): string {
  for (const kind of ['all', 'any'] as const) {
    const items = (condition as Record<string, unknown>)[kind];
    if (!Array.isArray(items)) continue;
    const texts = (items as object[]).map(conditionText);
    return texts.length === 1 ? texts[0]! : `${kind}(${texts.join(', ')})`;
  }
  const { fact, path, operator, value } = condition as {
    readonly fact: string;
    readonly path?: string;
    readonly operator: string;
    readonly value: unknown;
  };
  const name = path === undefined || path === '' ? fact : `${fact}.${path}`;
  return describeLeaf({ name: '', fact: name, operator: operator.replace(/^.*:/, ''), value } satisfies Leaf);
}
