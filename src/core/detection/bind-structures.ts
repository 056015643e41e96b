/**
 * Defines the interface of detectors and runs them over the texts of a call. Findings are codes with positions and never contain text.
 */
import type { DecodedCall } from '../model/call.js';
import type { CompiledPolicy } from '../model/compiled-policy.js';
import { Unknown, type FactDefinition, type FactSet } from '../model/fact.js';
import type { SessionAdditions } from '../model/session.js';
import type { PluginCatalog } from './catalog.js';
import { budgetTerms, type BudgetLedger, type BudgetTerms, type LedgerPlugin } from './ledger.js';
import type { StructureContext, StructurePlugin } from './structure.js';

/** A structure plugin or ledger plugin with the options of one policy. */
export interface BoundStructure {
  readonly id: string;
  /** The input of the plugin: facts from the ledger do not depend on the call. */
  readonly reads: 'call' | 'ledger';
  /** The roots with which the names of the plugin's facts begin. */
  readonly roots: readonly string[];
  /** May throw; the plugin's facts are then unknown. */
  read(call: DecodedCall, context: StructureContext, ledger: BudgetLedger): FactSet;
  /** The data that a session stores about a forwarded call. */
  remembered?(call: DecodedCall): SessionAdditions;
}

/** The parts of a policy that determine its structure plugins and ledger plugins. */
type Bound = Pick<CompiledPolicy, 'structures' | 'budgets'>;

/** Binds all loaded structure plugins and, if the policy has budgets, ledger plugins, with the policy's options or their defaults. */
export function bindStructures(
  policy: Bound,
  { structures, ledgers }: Pick<PluginCatalog, 'structures' | 'ledgers'>,
): BoundStructure[] {
  const budgets = policy.budgets.map(budgetTerms);
  return [
    ...structures.map((plugin) => bindStructure(policy, plugin)),
    ...(budgets.length === 0 ? [] : ledgers.map((plugin) => bindLedger(policy, plugin, budgets))),
  ];
}

/** The roots of the names of a structure plugin's facts. */
export function rootsOf({ facts }: Pick<StructurePlugin, 'facts'>): string[] {
  return [...new Set(facts.map(({ name }: FactDefinition) => name.split('.')[0]!))];
}

function bindStructure(policy: Bound, plugin: StructurePlugin): BoundStructure {
  const options = optionsIn(policy, plugin);
  return {
    id: plugin.meta.id,
    reads: 'call',
    roots: rootsOf(plugin),
    read: (call, context) => plugin.read(call, context, options()),
    ...(plugin.remembered === undefined ? {} : { remembered: plugin.remembered.bind(plugin) }),
  };
}

function bindLedger(policy: Bound, plugin: LedgerPlugin, budgets: readonly BudgetTerms[]): BoundStructure {
  const options = optionsIn(policy, plugin);
  const { root } = plugin;
  return {
    id: plugin.meta.id,
    reads: 'ledger',
    roots: [root],
    read: (_call, _context, ledger) => {
      const known = budgets.map((budget): [string, FactSet] => [
        budget.id,
        plugin.read(budget, ledger, options()) ?? unavailable(plugin, budget),
      ]);
      return { [root]: Object.fromEntries(known) };
    },
  };
}

/** @returns a function that returns the options, or throws if required options are missing; then the plugin's facts are unknown */
function optionsIn(policy: Bound, { meta }: StructurePlugin | LedgerPlugin): () => unknown {
  const binding = policy.structures.find(({ plugin }) => plugin === meta.id);
  const options = binding === undefined ? meta.options.safeParse({}) : { success: true, data: binding.options };
  return () => {
    if (!options.success) throw new Error(`plugin "${meta.id}" needs options, but the policy sets none`);
    return options.data;
  };
}

/** The facts of a budget if the ledger fails: each is unknown, not zero. */
function unavailable(plugin: LedgerPlugin, budget: BudgetTerms): FactSet {
  const stem = `${plugin.root}.${budget.id}.`;
  const unknown = new Unknown('unavailable', plugin.meta.id);
  return Object.fromEntries(plugin.facts(budget).map(({ name }) => [name.slice(stem.length), unknown]));
}

/** Collects from all plugins the data that a session stores about a forwarded call. */
export function rememberedBy(structures: readonly BoundStructure[], call: DecodedCall): SessionAdditions {
  const parts = structures.flatMap(({ remembered }) => remembered?.(call) ?? []);
  return {
    steps: parts.flatMap(({ steps }) => steps),
    calls: parts.flatMap(({ calls }) => calls),
    named: parts.flatMap(({ named }) => named),
  };
}
