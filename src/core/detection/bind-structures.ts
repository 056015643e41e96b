/**
 * The interface of detectors, and their execution over the texts of a call. Findings are codes with positions and never contain text.
 */
import type { DecodedCall } from '../model/call.js';
import type { CompiledPolicy } from '../model/compiled-policy.js';
import { Unknown, type FactDefinition, type FactSet } from '../model/fact.js';
import type { SessionAdditions } from '../model/session.js';
import type { PluginCatalog } from './catalog.js';
import { budgetTerms, type BudgetLedger, type BudgetTerms, type LedgerPlugin } from './ledger.js';
import type { StructureContext, StructurePlugin } from './structure.js';

/** A plugin that gives facts, a structure plugin or a ledger plugin, as one policy uses it: with its options. */
export interface BoundStructure {
  readonly id: string;
  /** What it looks at: facts of the ledger are the same whatever the call says. */
  readonly reads: 'call' | 'ledger';
  /** What the names of its facts begin with. */
  readonly roots: readonly string[];
  /** May throw: its facts are then unknown. */
  read(call: DecodedCall, context: StructureContext, ledger: BudgetLedger): FactSet;
  /** What a session is to remember of a call that goes on. */
  remembered?(call: DecodedCall): SessionAdditions;
}

/** What a policy is bound to its structure plugins and ledger plugins by. */
type Bound = Pick<CompiledPolicy, 'structures' | 'budgets'>;

/**
 * All loaded structure plugins and, where the policy has budgets, ledger plugins, with the options that the policy gives
 * them, else with their defaults.
 */
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

/** What the names of a structure plugin's facts begin with. */
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

/** @returns what throws where the plugin needs options and has none: its facts are unknown then */
function optionsIn(policy: Bound, { meta }: StructurePlugin | LedgerPlugin): () => unknown {
  const binding = policy.structures.find(({ plugin }) => plugin === meta.id);
  const options = binding === undefined ? meta.options.safeParse({}) : { success: true, data: binding.options };
  return () => {
    if (!options.success) throw new Error(`plugin "${meta.id}" needs options and the policy gives none`);
    return options.data;
  };
}

/** No answer of the ledger is no zero: each fact about the budget is unknown. */
function unavailable(plugin: LedgerPlugin, budget: BudgetTerms): FactSet {
  const stem = `${plugin.root}.${budget.id}.`;
  const unknown = new Unknown('unavailable', plugin.meta.id);
  return Object.fromEntries(plugin.facts(budget).map(({ name }) => [name.slice(stem.length), unknown]));
}

/** What a session is to remember of a call that goes on, whichever plugins say so. */
export function rememberedBy(structures: readonly BoundStructure[], call: DecodedCall): SessionAdditions {
  const parts = structures.flatMap(({ remembered }) => remembered?.(call) ?? []);
  return {
    steps: parts.flatMap(({ steps }) => steps),
    calls: parts.flatMap(({ calls }) => calls),
    named: parts.flatMap(({ named }) => named),
  };
}
