import { z } from 'zod';
import type { DecodedCall } from '../model/call.js';
import { bindStructures } from '../detection/bind-structures.js';
import { NOTHING_USED, SILENT_LEDGER, type BudgetLedger } from '../detection/ledger.js';
import type { StructurePlugin } from '../detection/structure.js';
import { Unknown } from '../model/fact.js';
import { BASE_FACTS } from '../facts/registry.js';
import { compilePolicy } from './compile-policy.js';
import { budget } from './testdata/plugins.js';

const OPTIONS = z.strictObject({ limit: z.int().positive() });

/** A plugin whose only fact is the limit from its options. */
const limits: StructurePlugin<z.output<typeof OPTIONS>> = {
  kind: 'structure',
  meta: { id: 'limits', version: '1.2.0', revision: 4, summary: 'Reads limits.', options: OPTIONS },
  facts: [],
  read: (_call, _context, { limit }) => ({ limits: { limit } }),
};
const plugins = { detectors: [], structures: [limits as StructurePlugin], ledgers: [] };
const call = {} as DecodedCall;

const compile = (detectors: string) =>
  compilePolicy({
    environment: 'production',
    files: [
      {
        path: 'production/policy.yaml',
        text: `apiVersion: weir/v1\nkind: Policy\nmetadata: { id: test }\nenvironment: production\ndefault: allow\ndetectors: ${detectors}\n`,
      },
    ],
    plugins,
  });

describe('Options of structure plugins', () => {
  it('are checked against the schema of the plugin and passed to it', () => {
    const { policy } = compile('{ mine: { plugin: limits@^1, limit: 7 } }');
    expect(policy!.structures).toEqual([
      { key: 'mine', plugin: 'limits', version: '1.2.0', revision: 4, options: { limit: 7 } },
    ]);
    const [bound] = bindStructures(policy!, plugins);
    expect(bound!.read(call, {}, SILENT_LEDGER)).toEqual({ limits: { limit: 7 } });
  });

  it('that are missing make the policy list the plugin as a reader, with its revision and whether a condition reads its facts', () => {
    const reading = {
      ...limits,
      facts: [{ ...BASE_FACTS[0]!, name: 'limits.limit', type: 'integer' }],
    } as StructurePlugin;
    const readers = (when: string) =>
      compilePolicy({
        environment: 'production',
        files: [
          {
            path: 'production/policy.yaml',
            text: `apiVersion: weir/v1\nkind: Policy\nmetadata: { id: test }\nenvironment: production\ndefault: allow\nrules: [{ id: a, stage: pre, when: { ${when} }, then: { action: flag } }]\n`,
          },
        ],
        plugins: { detectors: [], structures: [reading], ledgers: [] },
      }).policy!.readers;
    const reader = { plugin: 'limits', version: '1.2.0', revision: 4 };
    expect(readers('limits.limit: { gt: 3 }')).toEqual([{ ...reader, isRead: true }]);
    expect(readers('model.name: x')).toEqual([{ ...reader, isRead: false }]);
    expect(compile('{ mine: { plugin: limits@^1, limit: 7 } }').policy!.readers).toEqual([]);
  });

  it('are part of the digest', () => {
    const canonical = (limit: number) => compile(`{ mine: { plugin: limits, limit: ${limit} } }`).policy!.canonical;
    expect(canonical(7)).toBe(canonical(7));
    expect(canonical(7)).not.toBe(canonical(8));
  });

  it('that are invalid are an error of the policy with their position', () => {
    const { policy, problems } = compile('{ mine: { plugin: limits, limit: many } }');
    expect(policy).toBeUndefined();
    expect(problems.filter(({ level }) => level === 'error')).toMatchObject([{ code: 'G123', line: 6 }]);
  });

  it('that are required but missing make the plugin throw, so that the call fails closed', () => {
    const [bound] = bindStructures(compile('{}').policy!, plugins);
    expect(() => bound!.read(call, {}, SILENT_LEDGER)).toThrow('needs options');
  });
});

describe('A ledger plugin', () => {
  const team = { id: 'team', scope: ['app' as const], window: { per: 'day' as const, timezone: 'UTC' } };
  const budgets = [
    { ...team, limit: { unit: 'tokens' as const, tokens: 100 }, warnAt: [], onExceed: 'record' as const },
  ];
  const policy = { structures: [], budgets };
  const read = (ledger: BudgetLedger, plugin = budget) =>
    bindStructures(policy, { structures: [], ledgers: [plugin] })[0]!.read(call, {}, ledger);

  it('reports the used amount of each budget of the policy', () => {
    expect(read(NOTHING_USED)).toEqual({ budgets: { team: { used_ratio: 0, used: 0, remaining: 100 } } });
    expect(read({ usageOf: () => ({ used: 80n, reserved: 5n }) })).toEqual({
      budgets: { team: { used_ratio: 0.8, used: 80, remaining: 20 } },
    });
  });

  it('reports unknown facts and never zero if the ledger does not answer', () => {
    const unknown = new Unknown('unavailable', 'budget');
    expect(read(SILENT_LEDGER)).toEqual({
      budgets: { team: { used_ratio: unknown, used: unknown, remaining: unknown } },
    });
  });

  it('is not bound if the policy has no budget', () => {
    expect(bindStructures({ structures: [], budgets: [] }, { structures: [], ledgers: [budget] })).toEqual([]);
  });

  it('throws without its required options, so that the call fails closed', () => {
    const strict = { ...budget, meta: { ...budget.meta, options: OPTIONS } };
    expect(() => read(NOTHING_USED, strict)).toThrow('needs options');
  });
});
