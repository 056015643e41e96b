import { PLUGINS } from '../../plugins/index.js';
import { builtInPolicies, builtInPolicy, compilePolicy, type CompiledPolicy } from '../../src/core/index.js';
import { extending, putProject } from '../../test/support/pack-project.js';
import { jsonOf, lastLine, put, read, weir } from '../../test/support/policy-project.js';
import { PACKS, shortName } from './index.js';

function compiled(...bases: readonly string[]): CompiledPolicy {
  const files = [{ path: 'production/policy.yaml', text: extending(...bases) }];
  const { policy, problems } = compilePolicy({ environment: 'production', files, plugins: PLUGINS });
  if (policy === undefined || problems.length > 0) throw new Error(problems.map(({ message }) => message).join('\n'));
  return policy;
}

const ALL = PACKS.map(({ name }) => name);
/** All packs except customer-support: it refuses messages to strangers, which the tests of other packs expect to be flagged. */
const TOGETHER = ALL.map(shortName).filter((name) => name !== 'customer-support');

describe('The packs', () => {
  it('are all built-in policies except the baselines, and each has a page and tests', () => {
    expect([...ALL].sort()).toEqual(builtInPolicies().filter((name) => !name.startsWith('weir:baseline@')));
  });

  it('contain the baseline, and do not conflict with each other or with the baseline', () => {
    const baseline = compiled('weir:baseline@1').rules.map(({ id }) => id);
    for (const name of ALL) expect(compiled(name).rules.map(({ id }) => id)).toEqual(expect.arrayContaining(baseline));
    expect(compiled(...ALL, 'weir:baseline@1').canonical).toBe(compiled(...ALL).canonical);
  });

  // The test of weir init --pack below extends all other packs together.
  it('pass their tests if one policy extends customer-support, hipaa, pci and secrets-strict together', async () => {
    const packs = ['customer-support', 'hipaa', 'pci', 'secrets-strict'].map((name) => {
      const { tests } = PACKS.find((pack) => shortName(pack.name) === name)!;
      put(`policies/tests/${name}.test.yaml`, tests);
      return `weir:${name}@1`;
    });
    putProject(...packs);
    expect(await weir(['test'])).toMatchObject({ exit: 0 });
  });
});

describe.each(PACKS.map((pack) => [pack.name, pack] as const))('%s', (name, pack) => {
  it('has a page that assigns each rule of the pack to a clause, and names no unknown rule', () => {
    const own = compiled(name).rules.filter(
      ({ id }) => !compiled('weir:baseline@1').rules.some((one) => one.id === id),
    );
    const named = new Set(pack.clauses.flatMap(({ rules }) => rules));
    expect(own.map(({ id }) => id).filter((id) => !named.has(id))).toEqual([]);
    const known = new Set(compiled(name).rules.map(({ id }) => id));
    expect([...named].filter((id) => !known.has(id))).toEqual([]);
    expect(pack.clauses.filter(({ covered, rules }) => (covered === 'no') !== (rules.length === 0))).toEqual([]);
  });
});

describe('A rule or detector that exists in a folder and in a pack', () => {
  it('is refused with an error that names both files', async () => {
    putProject('weir:pci@1');
    put(
      'policies/production/own.yaml',
      `apiVersion: weir/v1
kind: Policy
metadata: { id: own, owner: security@example.com }
detectors: { pci_data: { plugin: regex@^1, patterns: { A: a } } }
rules:
  - id: pci.block-authentication-data
    stage: pre
    severity: low
    when: { pii.count: { gt: 0 } }
    then: { action: flag }
`,
    );
    const { exit, stdout, stderr } = await weir(['lint']);
    expect(exit).toBe(3);
    for (const text of ['"pci.block-authentication-data" is already used in', '"detectors.pci_data" is also set in']) {
      const [line = ''] = `${stdout}${stderr}`.split('\n').filter((each) => each.includes(text));
      expect(line).not.toBe('');
    }
    for (const file of ['weir:pci@1:', 'production/own.yaml:']) expect(`${stdout}${stderr}`).toContain(file);
  });
});

describe('weir packs', () => {
  it('lists the built-in policies with their purpose', async () => {
    const { packs } = (await jsonOf(['packs', 'list', '--json'], 'packs-list')) as {
      packs: { name: string; rules: number }[];
    };
    expect(packs.map(({ name }) => name)).toEqual(builtInPolicies());
    expect(packs.every(({ rules }) => rules > 0)).toBe(true);
    expect((await weir(['packs', 'list'])).stdout).toMatch(/^weir:pci@1 +\d+ +Card data/m);
  });

  it('prints the rules that the compiler uses, and tests that pass in a new folder', async () => {
    for (const typed of ['pci', 'pci@1', 'weir:pci@1'])
      expect((await weir(['packs', 'show', typed])).stdout).toBe(builtInPolicy('weir:pci@1')!.text);
    const shown = await jsonOf(['packs', 'show', 'pci', '--json'], 'packs-show');
    expect(shown).toMatchObject({ name: 'weir:pci@1', extends: ['weir:baseline@1'] });
    putProject('weir:pci@1');
    put('policies/tests/pci.test.yaml', (await weir(['packs', 'show', 'pci', '--tests'])).stdout);
    expect((await weir(['test'])).exit).toBe(0);
  });

  it('suggests an existing name for an unknown one', async () => {
    expect(lastLine((await weir(['packs', 'show', 'pcl'])).stderr)).toContain('did you mean "pci"?');
    expect((await weir(['packs', 'show', 'pci@9'])).exit).toBe(2);
    expect((await weir(['packs', 'show', 'baseline', '--tests'])).exit).toBe(2);
  });
});

describe('weir init --pack', () => {
  it('creates a folder without lint findings that passes its own tests and those of every pack', async () => {
    expect((await weir(['init', '--pack', ...TOGETHER])).exit).toBe(0);
    expect(read('policies/_shared/organisation.yaml')).toContain(
      `extends: [${TOGETHER.map((name) => `weir:${name}@1`).join(', ')}]`,
    );
    expect(await weir(['lint', '--fail-level', 'warning'])).toMatchObject({ exit: 0, stdout: '' });
    expect((await weir(['fmt', '--check'])).exit).toBe(0);
    expect(await weir(['test'])).toMatchObject({ exit: 0 });
  });

  it('refuses an unknown pack before it writes anything', async () => {
    expect((await weir(['init', '--pack', 'sox'])).exit).toBe(2);
    expect(() => read('policies/weir.config.yaml')).toThrow();
  });
});
