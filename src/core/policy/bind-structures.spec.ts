import { z } from 'zod';
import type { DecodedCall } from '../model/call.js';
import { bindStructures, type StructurePlugin } from '../detection/structure.js';
import { BASE_FACTS } from '../facts/registry.js';
import { compilePolicy } from './compile-policy.js';

const OPTIONS = z.strictObject({ limit: z.int().positive() });

/** Tells the limit that it was given. */
const limits: StructurePlugin<z.output<typeof OPTIONS>> = {
  kind: 'structure',
  meta: { id: 'limits', version: '1.2.0', revision: 4, summary: 'Reads limits.', options: OPTIONS },
  facts: [],
  read: (_call, _context, { limit }) => ({ limits: { limit } }),
};
const plugins = { detectors: [], structures: [limits as StructurePlugin] };
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
  it('are checked by the plugin and reach it', () => {
    const { policy } = compile('{ mine: { plugin: limits@^1, limit: 7 } }');
    expect(policy!.structures).toEqual([
      { key: 'mine', plugin: 'limits', version: '1.2.0', revision: 4, options: { limit: 7 } },
    ]);
    const [bound] = bindStructures(policy!, plugins.structures);
    expect(bound!.read(call, {})).toEqual({ limits: { limit: 7 } });
  });

  it('that are not given leave the plugin with its revision, and tell whether a condition reads it', () => {
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
        plugins: { detectors: [], structures: [reading] },
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

  it('that are wrong are an error of the policy, where they stand', () => {
    const { policy, problems } = compile('{ mine: { plugin: limits, limit: many } }');
    expect(policy).toBeUndefined();
    expect(problems.filter(({ level }) => level === 'error')).toMatchObject([{ code: 'G123', line: 6 }]);
  });

  it('that a plugin needs and the policy does not give make its reading fail, not pass', () => {
    const [bound] = bindStructures(compile('{}').policy!, plugins.structures);
    expect(() => bound!.read(call, {})).toThrow('needs options');
  });
});
