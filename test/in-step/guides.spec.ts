import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { PLUGINS } from '../../plugins/index.js';
import { compilePolicy, formatProblems } from '../../src/core/index.js';

describe('The guide to policies', () => {
  it('shows a policy that compiles with the shipped baseline', () => {
    const guide = readFileSync('docs/guides/policies.md', 'utf8');
    const shown = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1]!).join('\n');
    const files = [
      { path: 'policies/production/policy.yaml', text: shown },
      ...['_shared/baseline.yaml', '_shared/lists.yaml'].map((name) => ({
        path: `policies/${name}`,
        text: readFileSync(`policies/${name}`, 'utf8'),
      })),
    ];
    const { policy, problems } = compilePolicy({ environment: 'production', files, plugins: PLUGINS });
    expect(formatProblems(problems, new Map(files.map(({ path, text }) => [path, text])))).toBe('');
    expect(policy?.rules.map((rule) => rule.id)).toContain('model.only-approved');
  });

  it('shows three examples of each of flow, some, email_domain_in and comparisons of two facts, and every condition compiles', () => {
    const guide = readFileSync('docs/guides/policies.md', 'utf8');
    const conditions = [...guide.matchAll(/```yml\n((?:#[^\n]*\n)?- [^]*?)```/g)]
      .flatMap((match) => parse(match[1]!) as object[])
      .filter((each) => !('id' in each));
    const refused = conditions.filter((when) => !['pre', 'tool', 'post'].some((stage) => compiles(when, stage)));
    expect(refused).toEqual([]);
    const written = conditions.map((each) => JSON.stringify(each));
    for (const name of ['"flow":', '"some":', '"email_domain_in":', '{"fact":'])
      expect(written.filter((each) => each.includes(name)).length).toBeGreaterThanOrEqual(3);
  });
});

/** Whether a condition compiles in a rule of a stage, with the lists that the guide names. */
function compiles(when: object, stage: string): boolean {
  const text = stringify({
    apiVersion: 'weir/v1',
    kind: 'Policy',
    metadata: { id: 'staging', owner: 'security@example.com' },
    environment: 'staging',
    default: 'allow',
    extends: ['weir:baseline@1'],
    lists: { internal_domains: ['acme.example'] },
    rules: [{ id: 'shown.here', stage, severity: 'low', when, then: { action: 'flag' }, on_unknown: 'match' }],
  });
  const files = [{ path: 'policies/staging/policy.yaml', text }];
  return compilePolicy({ environment: 'staging', files, plugins: PLUGINS }).policy !== undefined;
}
