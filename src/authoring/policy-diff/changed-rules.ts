import { DEFAULT_RULE_ID } from '../../core/decision/decide.js';
import type { Stage } from '../../core/model/fact.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { exceptionRuleName } from '../../core/policy/engine-rules.js';
import { splitFactName } from '../../core/facts/read-path.js';
import { readLeaves } from './read-leaves.js';

/** Rules of the new policy by their former ids, if those differ. */
export function renamedRules(base: CompiledPolicy, next: CompiledPolicy): Map<string, string> {
  const ids = new Set(base.rules.map(({ id }) => id));
  return new Map(
    next.rules.flatMap(({ id, formerly }) => formerly.filter((old) => ids.has(old)).map((old) => [old, id])),
  );
}

/**
 * The rules of a stage whose outcome may differ between two policies, by their id in the next one (in the base, when the
 * next has them no more): what they say differs, or a list, a detector, an exception or a setting that they depend on.
 *
 * @param otherFindings keys of detectors that were seen to find something else in a text
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

/** The rules that read a detector, or mask what it finds. */
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

/** @param hasSameDetectors what they are tells nothing then, and a detector may have hundreds of codes */
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
    // Leaves carry the id: a rule that only has another name now is the same rule.
    found.set(renamed.get(id) ?? id, text.replaceAll(`"${id}#`, '"#').replaceAll(`"${id}"`, '"#"'));
  }
  if (policy.default === 'block') found.set(DEFAULT_RULE_ID, allowRules(policy, stage));
  return found;
}

/** The policy's own default depends on every allow rule. */
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
