import { STAGES } from '../model/fact.js';
import type { CompiledPolicy } from '../model/compiled-policy.js';
import { namedLeaves, namesRead } from './fact-snapshot.js';
import { memoizeByObject } from '../model/memoize.js';

/** Whether a rule or an exception to a rule reads earlier steps of the session; for other policies, no sessions are stored. */
export const readsSessions = memoizeByObject((policy: CompiledPolicy): boolean => {
  const names = new Set(policy.facts.flatMap(({ name, ofSession }) => (ofSession === true ? [name] : [])));
  return STAGES.some((stage) =>
    namedLeaves(policy, stage).some((leaf) => namesRead(leaf).some((name) => names.has(name))),
  );
});
