import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { comparePolicies } from '../src/authoring/index.js';
import { PLUGINS } from '../plugins/index.js';
import { builtInPolicies, builtInPolicy, newestBuiltIn } from '../src/core/policy/built-in/index.js';
import { compilePolicy, type CompiledPolicy, type Environment } from '../src/core/index.js';
import { extending } from '../test/support/pack-project.js';

interface PolicyFile {
  readonly path: string;
  readonly text: string;
}

const SHIPPED = import.meta.dirname;

function shippedFiles(folder: string): PolicyFile[] {
  return readdirSync(join(SHIPPED, folder)).map((name) => ({
    path: `${folder}/${name}`,
    text: readFileSync(join(SHIPPED, folder, name), 'utf8'),
  }));
}

function compiled(environment: Environment, files: readonly PolicyFile[]): CompiledPolicy {
  const { policy, problems } = compilePolicy({ environment, files, plugins: PLUGINS });
  if (policy === undefined || problems.length > 0) throw new Error(problems.map(({ message }) => message).join('\n'));
  return policy;
}

const problemsOf = (files: readonly PolicyFile[]) =>
  compilePolicy({ environment: 'production', files, plugins: PLUGINS }).problems;

/** What each built-in policy said when it was released. A line is added for a new version, and none is ever changed. */
const RELEASED: Readonly<Record<string, string>> = {
  'weir:baseline@1': '2fbb7c8676242c85ffd267112deda107a67b8a34818bfbcce5cb1eeedbc9edb6',
  'weir:coding-agent@1': '1708176fda739e22cfde9cefadc20718469cf2463b9974eb48ab5c1276fc06d9',
  'weir:customer-support@1': '3a27ffefab09a0c6a028e058529c0a75ae9b55031ad0d2c538039cad1dc8c124',
  'weir:gdpr@1': 'b3017822d994fb49f46ef8d00c1287cea61eae6a63b5966c910e695823af7ce7',
  'weir:hipaa@1': '5be0f57f2b9f3fc2f5c859175863b78ad79c410100df1689da7dbf13c53f16c3',
  'weir:owasp-llm@1': '4fe145c14ac59284c70fb1af828111c398ec2269f79b1c6e1589b40046e6fa13',
  'weir:pci@1': '42374f47496205d643c584063528471c869f80449f8432b7aaf769511410722b',
  'weir:secrets-strict@1': '51d79c6100fd975b1581d0aecee7d3e3ee4c743027bbe771de34353834f06af1',
};

describe('the built-in policies', () => {
  it.each(builtInPolicies())('have the same text as at their release: %s', (name) => {
    expect(createHash('sha256').update(builtInPolicy(name)!.text).digest('hex')).toBe(RELEASED[name]);
  });
});

describe('the built-in baseline', () => {
  it('decides every request as the shipped policies do', async () => {
    const shipped = compiled('production', [...shippedFiles('_shared'), ...shippedFiles('production')]);
    const newest = newestBuiltIn('weir:baseline@1')!;
    const built = compiled('production', [{ path: 'production/policy.yaml', text: extending(newest) }]);
    const { changes } = await comparePolicies(shipped, built, { plugins: PLUGINS, nowMs: 0, maxRequests: 2_000 });
    expect(changes).toEqual([]);
    const plain = ({ canonical }: CompiledPolicy): unknown => {
      const { rules: _rules, ...parts } = JSON.parse(canonical) as Record<string, unknown>;
      return parts;
    };
    expect(plain(built)).toEqual(plain(shipped));
  });

  it('is named as the source of its rules, which are in no file of the folder', () => {
    const policy = compiled('production', [{ path: 'production/policy.yaml', text: extending('weir:baseline@1') }]);
    expect(policy.sources.rules['pii.redact-contact']!.at.file).toBe('weir:baseline@1');
  });

  it('is never replaced by a file of the folder, even if the file has its name', () => {
    const weak = extending('other.yaml').replace('extends: [other.yaml]\n', '').replace('id: production', 'id: weak');
    const own = compiled('production', [
      { path: 'production/policy.yaml', text: extending('weir:baseline@1') },
      { path: '_shared/weir:baseline@1', text: weak },
    ]);
    expect(own.rules.map(({ id }) => id)).toContain('secrets.block-live-credential');
  });

  it.each(['weir:baseline@99', 'weir:baseline', 'weir:nothing@1'])('refuses %s and lists the valid names', (name) => {
    expect(problemsOf([{ path: 'production/policy.yaml', text: extending(name) }])).toMatchObject([
      { code: 'G012', hint: `this version of Weir has ${builtInPolicies().join(', ')}` },
    ]);
  });

  it('takes the changes that the guide shows', () => {
    const guide = readFileSync(join(SHIPPED, '../docs/guides/policies.md'), 'utf8');
    const [, example] = /## The built-in baseline[\s\S]*?```yml\n([\s\S]*?)```/.exec(guide)!;
    const text = extending('weir:baseline@1').replace('extends: [weir:baseline@1]\n', example!);
    const policy = compiled('production', [{ path: 'production/policy.yaml', text }]);
    expect(policy.lists['dangerous_tools']).toEqual([
      'delete_database',
      'deploy_to_production',
      'run_shell',
      'transfer_funds',
    ]);
    expect(policy.rules.find(({ id }) => id === 'injection.flag-likely')!.action).toBe('block');
  });

  it('knows the newest version by number', () => {
    const known = ['weir:baseline@2', 'weir:baseline@10', 'weir:other@11'];
    expect(newestBuiltIn('weir:baseline@1', known)).toBe('weir:baseline@10');
    expect(newestBuiltIn('weir:nothing@1', known)).toBeUndefined();
  });
});
