import { z } from 'zod';
import type { PluginCatalog } from '../../detection/catalog.js';
import { defineDetector, type CodeInfo, type DetectorFamily } from '../../detection/detector.js';
import type { LedgerPlugin } from '../../detection/ledger.js';
import type { StructurePlugin } from '../../detection/structure.js';
import type { FactDefinition, FactType, Stage } from '../../model/fact.js';

/** Plugins that find nothing: the compiler needs their codes, options and facts only. */
function detector(id: string, family: DetectorFamily, codes: readonly string[], dormant: readonly string[] = []) {
  const info = (enabled: boolean): CodeInfo => ({ title: 'A thing', enabled, minScore: 0.5 });
  return defineDetector({
    meta: {
      id,
      version: '1.4.0',
      revision: 3,
      family,
      summary: 'Finds nothing.',
      codes: Object.fromEntries([
        ...codes.map((code) => [code, info(true)]),
        ...dormant.map((code) => [code, info(false)]),
      ]) as Record<string, CodeInfo>,
      reach: { behind: 0, ahead: 10 },
      options: z.strictObject({ locales: z.array(z.enum(['de', 'en', 'fr'])).default(['en']) }),
      examples: [],
    },
    create: () => () => [],
  });
}

const EVERY: readonly Stage[] = ['pre', 'post', 'tool'];

function fact(name: string, type: FactType, stages: readonly Stage[], optional = false): FactDefinition {
  return { name, type, stages, optional, summary: 'A fact.', clientControlled: false };
}

const tools: StructurePlugin = {
  kind: 'structure',
  meta: { id: 'tool-use', version: '1.0.0', revision: 1, summary: 'Reads nothing.', options: z.unknown() },
  facts: [
    fact('tool.name', 'string', ['tool']),
    fact('tool.args.*', 'any', ['tool'], true),
    fact('tool_calls', 'tool_calls', ['post', 'tool']),
    fact('tools.declared', 'string_set', ['pre']),
    fact('history.tool_calls', 'tool_calls', EVERY),
    fact('history.tool_results', 'tool_results', EVERY),
    fact('flow', 'flow', ['tool']),
  ],
  read: () => ({}),
};

/** Reports the used and remaining amount of each budget, in the unit of its limit (dollars or tokens). */
export const budget: LedgerPlugin = {
  kind: 'ledger',
  meta: { id: 'budget', version: '1.0.0', revision: 1, summary: 'Reads what is used.', options: z.strictObject({}) },
  root: 'budgets',
  facts: ({ id, unit }) => [
    { ...fact(`budgets.${id}.used_ratio`, 'number', EVERY), unit: 'ratio', range: { min: 0 } },
    { ...fact(`budgets.${id}.used`, 'number', EVERY), unit, range: { min: 0 } },
    { ...fact(`budgets.${id}.remaining`, 'number', EVERY), unit },
  ],
  read: ({ id, unit, limit }, ledger) => {
    const used = ledger.usageOf(id)?.used;
    if (used === undefined) return undefined;
    const one = unit === 'usd' ? 1e9 : 1;
    return {
      used_ratio: Number(used) / Number(limit),
      used: Number(used) / one,
      remaining: Number(limit - used) / one,
    };
  },
  usagesAt: ({ name }, value, { unit, limit }) => {
    const amount = value * (unit === 'usd' ? 1e9 : 1);
    const used = name.endsWith('_ratio')
      ? value * Number(limit)
      : name.endsWith('.used')
        ? amount
        : Number(limit) - amount;
    return used < 0 ? [] : [{ used: BigInt(Math.round(used)), reserved: 0n }];
  },
};

export const PLUGINS: PluginCatalog = {
  detectors: [
    detector('pii', 'personal_data', ['EMAIL', 'PHONE', 'IBAN', 'US_SSN', 'TOKEN'], ['PASSPORT']),
    detector('secrets', 'secret', ['aws_access_key', 'github_pat', 'private_key', 'generic_secret', 'TOKEN']),
    detector('prompt-injection', 'prompt_injection', ['OVERRIDE']),
  ],
  structures: [tools],
  ledgers: [budget],
};
