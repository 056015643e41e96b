import { STAGES } from '../model/fact.js';
import type { CompiledPolicy } from '../model/compiled-policy.js';
import { namedLeaves, namesRead } from './fact-snapshot.js';

const known = new WeakMap<CompiledPolicy, boolean>();

/** Whether a rule, or an exception to one, asks what happened earlier in the session: for others no sessions are kept. */
export function readsSessions(policy: CompiledPolicy): boolean {
  const before = known.get(policy);
  if (before !== undefined) return before;
  const names = new Set(policy.facts.flatMap(({ name, ofSession }) => (ofSession === true ? [name] : [])));
  const reads = STAGES.some((stage) =>
    namedLeaves(policy, stage).some((leaf) => namesRead(leaf).some((name) => names.has(name))),
  );
  known.set(policy, reads);
  return reads;
}
