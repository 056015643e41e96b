import { createHash } from 'node:crypto';
import { canonicalJson, type CompiledPolicy, type JsonValue } from '../../core/index.js';

/**
 * A digest of a rule and of the exceptions that name it, which changes when either changes. Null for a rule that the policy does not have.
 */
export function ruleState(policy: CompiledPolicy, id: string): string | null {
  const rule = policy.rules.find((each) => each.id === id);
  if (rule === undefined) return null;
  const exceptions = policy.exceptions.filter(({ rules }) => rules.includes(id));
  const names = new Set(exceptions.map((exception) => `exception:${exception.id}`));
  const stage = policy.stages[rule.stage];
  const read = [
    ...stage.asWritten.filter(({ name }) => name === id),
    ...stage.exceptions.filter(({ name }) => name !== undefined && names.has(name)),
  ];
  const state = JSON.parse(JSON.stringify({ rule, exceptions, read })) as JsonValue;
  return createHash('sha256').update(canonicalJson(state)).digest('hex');
}
