import type { PluginCatalog } from '../detection/catalog.js';
import { WEEKDAYS } from './clock-facts.js';
import { budgetTerms, type BudgetTerms } from '../detection/ledger.js';
import { compareText } from '../model/compare-text.js';
import { ENVIRONMENTS, type BudgetDefinition, type DetectorBinding } from '../model/compiled-policy.js';
import type { FactDefinition, FactType, Stage } from '../model/fact.js';

const ALL: readonly Stage[] = ['pre', 'post', 'tool'];

function fact(
  name: string,
  type: FactType,
  summary: string,
  extra: Partial<Omit<FactDefinition, 'name' | 'type' | 'summary'>> = {},
): FactDefinition {
  return { name, type, summary, stages: ALL, optional: false, clientControlled: false, ...extra };
}

/** The facts of every call, independent of the policy. */
export const BASE_FACTS: readonly FactDefinition[] = [
  fact('environment', 'string', 'The environment of the key. The policy of this environment judges the call.', {
    values: ENVIRONMENTS,
  }),
  fact('declared_environment', 'string', 'The environment declared by the caller.', {
    values: ENVIRONMENTS,
    clientControlled: true,
  }),
  fact('provider', 'string', 'The provider, in lower case; absent when the call names none.', { optional: true }),
  fact('model.name', 'string', 'The model named in the call; absent when the call names none.', { optional: true }),
  fact('app.id', 'string', 'The id of the app that the key belongs to.'),
  fact('app.name', 'string', 'The name of the app that the key belongs to.'),
  fact('key.id', 'string', 'The public id of the key.'),
  fact('key.name', 'string', 'The name of the key.'),
  fact('metadata.*', 'any', 'Metadata that the caller sends with the call.', {
    optional: true,
    clientControlled: true,
  }),
  fact('session.id', 'string', 'The session that the caller names.', { optional: true, clientControlled: true }),
  fact(
    'context.sources',
    'string_set',
    'The sources of the context, which the caller declares in `metadata.sources`.',
    {
      optional: true,
      clientControlled: true,
    },
  ),
  fact('request.max_tokens', 'integer', 'The output limit that the request sets.', {
    optional: true,
    unit: 'tokens',
    range: { min: 0 },
    clientControlled: true,
  }),
  fact('request.chars', 'integer', 'Length of all texts of the request, in UTF-16 units.', {
    stages: ['pre'],
    unit: 'items',
    range: { min: 0 },
  }),
  fact('request.messages', 'integer', 'Number of messages in the request; a prompt alone counts as one.', {
    stages: ['pre'],
    unit: 'items',
    range: { min: 0 },
  }),
  fact('text.length', 'integer', 'Length of the longest text of the request, in UTF-16 units.', {
    stages: ['pre'],
    unit: 'items',
    range: { min: 0 },
    invariants: ['text.length <= request.chars'],
  }),
  fact('clock.hour.*', 'integer', 'The hour of the day in the time zone at the end of the name.', {
    range: { min: 0, max: 23 },
  }),
  fact('clock.weekday.*', 'string', 'The day of the week in the time zone at the end of the name.', {
    values: WEEKDAYS,
  }),
  fact('request.stream', 'boolean', 'Whether the answer is requested as a stream.', { clientControlled: true }),
];

/**
 * Every fact that the rules of a policy can read: the base facts and the facts of the policy's detectors, of the loaded structure plugins
 * and, for the policy's budgets, of ledger plugins. Sorted by name.
 */
export function factRegistry(
  detectors: readonly DetectorBinding[],
  catalog: PluginCatalog,
  budgets: readonly BudgetDefinition[],
): FactDefinition[] {
  return [
    ...BASE_FACTS,
    ...detectors.flatMap(detectorFacts),
    ...catalog.structures.flatMap((structure) => structure.facts),
    ...budgets.map(budgetTerms).flatMap((budget) => ledgerFacts(budget, catalog)),
  ].sort((a, b) => compareText(a.name, b.name));
}

/** The facts of one detector, named after its key in the policy. */
export function detectorFacts({ key, codes }: DetectorBinding): FactDefinition[] {
  const items = { unit: 'items', range: { min: 0 }, detector: key } as const;
  return [
    fact(`${key}.types`, 'string_set', `The codes that ${key} found.`, {
      detector: key,
      values: [...codes].sort(),
      invariants: [`${key}.types is empty exactly when ${key}.count is 0`],
    }),
    fact(`${key}.count`, 'integer', `Number of findings of ${key}.`, items),
    fact(`${key}.score`, 'number', `The highest score of the findings of ${key}; 0 when there is none.`, {
      detector: key,
      unit: 'ratio',
      range: { min: 0, max: 1 },
    }),
    ...[...codes].sort().map((code) =>
      fact(`${key}.counts.${code}`, 'integer', `Number of ${code} findings of ${key}; absent when there is none.`, {
        ...items,
        optional: true,
        invariants: [`${key}.counts.${code} <= ${key}.count`],
      }),
    ),
  ];
}

function ledgerFacts(budget: BudgetTerms, { ledgers }: PluginCatalog): FactDefinition[] {
  return ledgers.flatMap((plugin) => plugin.facts(budget).map((one) => ({ ...one, ledger: plugin.meta.id })));
}

/** Finds the definition of a dotted fact name: an exact match, else the longest matching `name.*`. */
export function findFact(facts: readonly FactDefinition[], name: string): FactDefinition | undefined {
  const exact = facts.find((definition) => definition.name === name && !definition.name.endsWith('.*'));
  if (exact !== undefined) return exact;
  return facts
    .filter((definition) => definition.name.endsWith('.*') && name.startsWith(definition.name.slice(0, -1)))
    .sort((a, b) => b.name.length - a.name.length)[0];
}
