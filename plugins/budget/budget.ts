/**
 * The ledger plugin `budget`: spending of budgets as facts that rules read. It only reads the call's ledger; costs are computed
 * elsewhere.
 */
import { z } from 'zod';
import type { BudgetLedger, FactDefinition, FactSet, LedgerPlugin, Stage } from '../../src/core/plugin-api.js';

const ROOT = 'budgets';
const EVERY: readonly Stage[] = ['pre', 'post', 'tool'];
const NANO = 1e9;

const options = z.strictObject({});

/** Facts about budgets: used, reserved and remaining amounts of their windows. */
export const budget: LedgerPlugin<z.output<typeof options>> = {
  kind: 'ledger',
  meta: {
    id: 'budget',
    version: '1.0.0',
    revision: 1,
    summary: 'Reads the used, reserved and remaining amounts of budgets.',
    options,
  },
  root: ROOT,
  facts,
  read,
  usagesAt,
};

type Terms = Parameters<LedgerPlugin['facts']>[0];

function facts({ id, unit }: Terms): FactDefinition[] {
  const fact = (
    what: string,
    summary: string,
    more: Pick<FactDefinition, 'unit' | 'range' | 'invariants'>,
  ): FactDefinition => ({
    name: `${ROOT}.${id}.${what}`,
    type: 'number',
    summary,
    stages: EVERY,
    optional: false,
    clientControlled: false,
    ...more,
  });
  const amount = { unit, range: { min: 0 } } as const;
  return [
    fact('used_ratio', `The share of budget ${id} that is used; 1 is the limit.`, { unit: 'ratio', range: { min: 0 } }),
    fact('used', `Amount used by budget ${id} in its window.`, amount),
    fact('remaining', `Amount left in the window of budget ${id}; negative once the budget is exceeded.`, { unit }),
    fact('reserved', `Amount of budget ${id} reserved by calls in flight; not part of \`used\`.`, amount),
  ];
}

function read({ id, unit, limit }: Terms, ledger: BudgetLedger): FactSet | undefined {
  const usage = ledger.usageOf(id);
  if (usage === undefined) return undefined;
  const { used, reserved } = usage;
  const scale = unit === 'usd' ? NANO : 1;
  const inUnit = (amount: bigint): number => rounded(Number(amount) / scale);
  return {
    used_ratio: rounded(Number(used) / Number(limit)),
    used: inUnit(used),
    remaining: inUnit(limit - used),
    reserved: inUnit(reserved),
  };
}

/** Rounds to twelve significant digits, which is more than any limit needs. */
function rounded(value: number): number {
  return Number(value.toPrecision(12));
}

function usagesAt(
  { name }: FactDefinition,
  value: number,
  { unit, limit }: Terms,
): ReturnType<LedgerPlugin['usagesAt']> {
  const scale = unit === 'usd' ? NANO : 1;
  const what = name.slice(name.lastIndexOf('.') + 1);
  if (what === 'reserved') return around(value * scale).map((reserved) => ({ used: 0n, reserved }));
  const used =
    what === 'used_ratio' ? value * Number(limit) : what === 'used' ? value * scale : Number(limit) - value * scale;
  return around(used).map((amount) => ({ used: amount, reserved: 0n }));
}

/** The nearest whole amounts below and above a number, or only the number if it is whole. */
function around(amount: number): bigint[] {
  const near = Number(amount.toPrecision(12));
  return [...new Set([Math.floor(near), Math.ceil(near)])].filter((one) => one >= 0).map((one) => BigInt(one));
}
