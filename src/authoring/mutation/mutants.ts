import type { Mutation } from './mutation.js';
import { compareText } from '../../core/model/compare-text.js';
import { STAGES } from '../../core/model/fact.js';
import type { CompiledPolicy, Environment } from '../../core/model/compiled-policy.js';
import { engineLeaves } from '../../core/policy/engine-rules.js';
import { listsIn } from '../../core/policy/list-operands.js';
import { conditionMutants } from './mutate-conditions.js';
import { exceptionMutants, ruleMutants, settingMutants } from './mutate-rules.js';
import { isBuiltIn } from '../../core/policy/built-in/index.js';
import { leafMutants } from './leaf-mutants.js';
import { dropListEntry } from './edit-policy.js';

/** A mutation of a position in the files, in every environment that reads this position. */
export interface Mutant extends Omit<Mutation, 'apply'> {
  readonly id: string;
  readonly versions: readonly { readonly environment: Environment; make(): CompiledPolicy }[];
}

/**
 * Every mutant of the given policies, sorted by position in the files. A mutation of a shared rule is one mutant, with a version for
 * each environment that inherits the rule.
 */
export function mutantsOf(policies: ReadonlyMap<Environment, CompiledPolicy>): Mutant[] {
  const mutants = new Map<string, Mutant & { versions: Mutant['versions'][number][] }>();
  for (const [environment, policy] of policies) {
    for (const mutation of mutationsOf(policy)) {
      const { at, text } = mutation;
      // Users do not edit built-in policies, so these have no mutants.
      if (isBuiltIn(at.file)) continue;
      const id = `${at.file}:${at.line}:${at.column} ${mutation.owners.join(' ')} ${text}`;
      const version = { environment, make: () => mutation.apply(policy) };
      const known = mutants.get(id);
      if (known !== undefined) known.versions.push(version);
      else {
        const { apply: _apply, ...described } = mutation;
        mutants.set(id, { id, ...described, versions: [version] });
      }
    }
  }
  return [...mutants.values()].sort(
    (a, b) =>
      compareText(a.at.file, b.at.file) ||
      a.at.line - b.at.line ||
      a.at.column - b.at.column ||
      compareText(a.id, b.id),
  );
}

function mutationsOf(policy: CompiledPolicy): Mutation[] {
  return [
    ...settingMutants(policy),
    ...leafMutants(policy),
    ...policy.rules.flatMap((rule) => [
      ...ruleMutants(rule, policy),
      ...conditionMutants(rule.id, [rule.stage], policy),
    ]),
    ...policy.exceptions.flatMap((exception) => exceptionMutants(exception, policy)),
    ...listMutants(policy),
  ];
}

/** One mutant for each entry of each list that a condition reads: the list without the entry. */
function listMutants(policy: CompiledPolicy): Mutation[] {
  return Object.entries(policy.lists).flatMap(([name, entries]) => {
    const readers = STAGES.flatMap((stage) =>
      [...policy.stages[stage].asWritten, ...policy.stages[stage].exceptions]
        .filter(({ conditions }) => engineLeaves(conditions).some(({ value }) => listsIn(value).includes(name)))
        .map((rule) => ({ stage, owner: rule.name })),
    );
    if (readers.length === 0) return [];
    return entries.map((entry) => ({
      text: `drop ${String(entry)} from $lists.${name}`,
      at: policy.sources.lists[name]![String(entry)]!,
      leaf: 'lists.*',
      owners: [...new Set(readers.map(({ owner }) => owner))].sort(),
      part: `list ${name}`,
      stages: [...new Set(readers.map(({ stage }) => stage))],
      apply: (base: CompiledPolicy) => dropListEntry(base, name, entry),
    }));
  });
}
