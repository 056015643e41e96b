import { readFileSync } from 'node:fs';
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
});
