import { bindStructures } from '../../core/detection/bind-structures.js';
import type { PluginCatalog } from '../../core/detection/catalog.js';
import { budgetTerms, NOTHING_USED, type BudgetLedger, type BudgetUsage } from '../../core/detection/ledger.js';
import { findFact } from '../../core/facts/registry.js';
import { NO_TEXTS } from '../../core/model/call.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import type { FactSet, FactValue } from '../../core/model/fact.js';
import type { ReadLeaf } from './read-leaves.js';
import type { Setting, Variable } from './request.js';
import { aroundLimits } from './scalar-values.js';

interface Reader {
  readonly policy: CompiledPolicy;
  readonly leaves: readonly ReadLeaf[];
}

/** A variable for the used and reserved amounts of a budget, with values on both sides of each limit in conditions. */
export function usageVariable(name: string, id: string, readers: readonly Reader[], plugins: PluginCatalog): Variable {
  const usages = readers.flatMap(({ policy, leaves }) =>
    leaves.flatMap(({ fact, value }) => usagesAround(id, fact, value, policy, plugins)),
  );
  const amounts = (which: keyof BudgetUsage): bigint[] => [...new Set([0n, ...usages.map((usage) => usage[which])])];
  const settings = amounts('used').flatMap((used) =>
    amounts('reserved').map((reserved): Setting => {
      const factsIn = factsUnder(id, { used, reserved }, plugins);
      const shown = readers.map(({ policy }) => factsIn(policy)).find((facts) => Object.keys(facts).length > 0) ?? {};
      return { part: { kind: 'usage', facts: factsIn, shown }, alike: [] };
    }),
  );
  return { name, settings, sampled: false };
}

function usagesAround(
  id: string,
  fact: string,
  value: unknown,
  policy: CompiledPolicy,
  { ledgers }: PluginCatalog,
): BudgetUsage[] {
  const budget = policy.budgets.find((one) => one.id === id);
  const definition = findFact(policy.facts, fact);
  const plugin = ledgers.find(({ root }) => fact.startsWith(`${root}.${id}.`));
  if (budget === undefined || definition === undefined || plugin === undefined) return [];
  const limits = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'number');
  return aroundLimits(limits, 'number').flatMap((one) => plugin.usagesAt(definition, one, budgetTerms(budget)));
}

/** A function that returns the facts about one budget under a policy, by dotted name; empty if the policy has no such budget. */
function factsUnder(id: string, usage: BudgetUsage, plugins: PluginCatalog) {
  const ledger: BudgetLedger = { usageOf: (budget) => (budget === id ? usage : NOTHING_USED.usageOf(budget)) };
  const known = new WeakMap<CompiledPolicy, Readonly<Record<string, FactValue>>>();
  return (policy: CompiledPolicy): Readonly<Record<string, FactValue>> => {
    const facts = known.get(policy) ?? factsOf(id, policy, ledger, plugins);
    known.set(policy, facts);
    return facts;
  };
}

function factsOf(id: string, policy: CompiledPolicy, ledger: BudgetLedger, { ledgers }: PluginCatalog) {
  const budgets = policy.budgets.filter((one) => one.id === id);
  const bound = bindStructures({ structures: policy.structures, budgets }, { structures: [], ledgers });
  return Object.fromEntries(
    bound.flatMap((plugin) =>
      Object.entries(plugin.read(NO_TEXTS, {}, ledger)).flatMap(([root, facts]) =>
        Object.entries((facts as Readonly<Record<string, FactSet>>)[id] ?? {}).map(
          ([what, value]) => [`${root}.${id}.${what}`, value] as const,
        ),
      ),
    ),
  );
}
