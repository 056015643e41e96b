import { DEFAULT_RULE_ID } from '../../core/decision/decide.js';
import type { Stage } from '../../core/model/fact.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { exceptionRuleName } from '../../core/policy/engine-rules.js';
import { splitFactName } from '../../core/facts/read-path.js';
import { readLeaves } from './read-leaves.js';

/** Current ids of renamed rules, by their former ids. */
export function renamedRules(base: CompiledPolicy, next: CompiledPolicy): Map<string, string> {
  const ids = new Set(base.rules.map(({ id }) => id));
  return new Map(
    next.rules.flatMap(({ id, formerly }) => formerly.filter((old) => ids.has(old)).map((old) => [old, id])),
  );
}

/**
 * Ids of the rules of a stage whose outcome may differ between two policies (for a removed rule its id in the base): the rule differs,
 * or a list, detector, exception or setting on which it depends.
 *
 * @param otherFindings keys of detectors whose findings in one of the compared texts differ between the policies
 */
export function changedRules(
  base: CompiledPolicy,
  next: CompiledPolicy,
  stage: Stage,
  otherFindings: ReadonlySet<string> = new Set(),
): string[] {
  const renamed = renamedRules(base, next);
  const hasSameDetectors = base.detectors === next.detectors;
  const before = fingerprints(base, stage, renamed, hasSameDetectors);
  const after = fingerprints(next, stage, new Map(), hasSameDetectors);
  const everything = settingsOf(base) !== settingsOf(next);
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const reads = readersOf([base, next], stage, otherFindings);
  return names.filter((name) => everything || reads.has(name) || before.get(name) !== after.get(name)).sort();
}

/** The rules that read the findings of one of the detectors, or mask them. */
function readersOf(
  policies: readonly CompiledPolicy[],
  stage: Stage,
  detectors: ReadonlySet<string>,
): ReadonlySet<string> {
  if (detectors.size === 0) return new Set();
  const owners = policies.flatMap((policy) => [
    ...readLeaves(policy, stage)
      .filter(({ fact }) => detectors.has(splitFactName(fact).root))
      .map(({ owner }) => owner),
    ...policy.rules
      .filter((rule) => rule.stage === stage && rule.redact?.targets.some(({ detector }) => detectors.has(detector)))
      .map(({ id }) => id),
  ]);
  return new Set(owners);
}

function settingsOf({ default: fallback, monitor, clientMonitorMode }: CompiledPolicy): string {
  return JSON.stringify([fallback, monitor, clientMonitorMode]);
}

/** @param hasSameDetectors if true, detectors are left out of the fingerprints, to save time: they may have hundreds of codes */
function fingerprints(
  policy: CompiledPolicy,
  stage: Stage,
  renamed: ReadonlyMap<string, string>,
  hasSameDetectors: boolean,
): Map<string, string> {
  const { asWritten, exceptions } = policy.stages[stage];
  const conditions = new Map([...asWritten, ...exceptions].map((rule) => [rule.name, rule.conditions]));
  const leaves = Map.groupBy(readLeaves(policy, stage), ({ owner }) => owner);
  const bindings = hasSameDetectors ? [] : policy.detectors;
  const depends = (owner: string): unknown => {
    const own = leaves.get(owner) ?? [];
    const roots = new Set(own.map(({ fact }) => splitFactName(fact).root));
    const detectors = bindings.filter(({ key }) => roots.has(key)).map(plainBinding);
    const budgets = roots.has('budgets') ? policy.budgets : [];
    return [conditions.get(owner), own.map(({ value }) => value), detectors, budgets];
  };
  const found = new Map<string, string>();
  for (const rule of policy.rules.filter((one) => one.stage === stage)) {
    const { id, action, reason, monitor, onUnknown, redact, rolloutPercent, severity } = rule;
    const masked = new Set(redact?.targets.map(({ detector }) => detector));
    const about = policy.exceptions
      .filter(({ rules }) => rules.includes(id))
      .map((one) => [one.id, one.effect, one.expiresAtMs, one.conditional, depends(exceptionRuleName(one.id))]);
    const own = { action, reason, monitor, onUnknown, redact, rolloutPercent, severity };
    const masks = bindings.filter(({ key }) => masked.has(key)).map(plainBinding);
    const text = JSON.stringify([own, depends(id), masks, about]);
    // Leaf names contain the rule id, which is removed: renaming a rule does not change it.
    found.set(renamed.get(id) ?? id, text.replaceAll(`"${id}#`, '"#').replaceAll(`"${id}"`, '"#"'));
  }
  if (policy.default === 'block') found.set(DEFAULT_RULE_ID, allowRules(policy, stage));
  return found;
}

/** A fingerprint of all allow rules, on which the default of a policy that blocks depends. */
function allowRules(policy: CompiledPolicy, stage: Stage): string {
  const allowing = policy.rules.filter((rule) => rule.stage === stage && rule.action === 'allow').map(({ id }) => id);
  return JSON.stringify([
    policy.stages[stage].asWritten.filter(({ name }) => allowing.includes(name)),
    readLeaves(policy, stage)
      .filter(({ owner }) => allowing.includes(owner))
      .map(({ value }) => value),
  ]);
}

function plainBinding({
  key,
  plugin,
  version,
  revision,
  codes,
  minScore,
}: CompiledPolicy['detectors'][number]): unknown {
  return [key, plugin, version, revision, [...codes].sort(), minScore];
}
