import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { COMMANDS } from '../../cli/commands/index.js';
import { parseArguments } from '../../cli/parse.js';

const names = (): Set<string> =>
  new Set(COMMANDS.map((entry) => ('load' in entry ? entry.usage.split(' ')[0]! : entry.name)));

describe('The support of Weir for continuous integration', () => {
  it('has an action that passes its arguments through the environment', () => {
    const action = parse(readFileSync('action.yml', 'utf8')) as {
      inputs: Record<string, { default: string }>;
      runs: { using: string; steps: { name?: string; run?: string; env?: Record<string, string> }[] };
    };
    expect(action.runs.using).toBe('composite');
    for (const { run = '' } of action.runs.steps) expect(run).not.toContain('inputs.');
    expect(action.runs.steps.at(-1)?.env).toEqual({
      WEIR_ARGS: '${{ inputs.args }}',
      WEIR_COMMENT: '${{ inputs.comment }}',
      WEIR_COMMENT_AUTHOR: '${{ inputs.comment-author }}',
      WEIR_COMMENT_TOKEN: '${{ inputs.token }}',
    });
  });

  it('installs the command in the version of this checkout', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const cli = JSON.parse(readFileSync('packages/weir-cli/package.json', 'utf8')) as { version: string };
    expect(cli.version).toBe(version);
    for (const file of ['action.yml', 'deploy/gitlab/policies.gitlab-ci.yml', 'packages/weir-cli/README.md']) {
      const named = [...readFileSync(file, 'utf8').matchAll(/weir-cli@([\d.]+\d)/g)].map((match) => match[1]);
      expect([file, new Set(named)]).toEqual([file, new Set([version])]);
    }
  });

  it('has a template for GitLab whose commands can be run as written', async () => {
    const template = parse(readFileSync('deploy/gitlab/policies.gitlab-ci.yml', 'utf8')) as Record<
      string,
      { script?: string[] }
    >;
    const lines = Object.values(template).flatMap(({ script = [] }) =>
      script.flatMap((line) => [...line.matchAll(/(?:^|; then )weir (.+?)(?:; fi)?$/g)].map((match) => match[1]!)),
    );
    expect(lines.length).toBeGreaterThan(4);
    for (const line of lines)
      expect([line, (await parseArguments(line.split(' '), '0', 80)).kind]).toEqual([line, 'chosen']);
  });

  it('has pre-commit hooks that run existing commands', async () => {
    const hooks = parse(readFileSync('.pre-commit-hooks.yaml', 'utf8')) as { id: string; entry: string }[];
    expect(hooks.map(({ id }) => id)).toEqual(['weir-fmt', 'weir-lint', 'weir-test']);
    for (const { entry } of hooks) {
      const [weir, ...argv] = entry.split(' ');
      expect(weir).toBe('weir');
      expect((await parseArguments(argv, '0', 80)).kind).toBe('chosen');
    }
  });

  it('has a guide whose weir commands can be run as written', async () => {
    const guide = readFileSync('docs/guides/policies-in-ci.md', 'utf8');
    const lines = [
      ...guide.matchAll(/(?:- run: weir |^\$ weir |\{ args: )(.+?)(?:, comment: \w+ \}| {2,}#.*)?$/gm),
    ].map(([, line = '']) => line);
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines) {
      const argv = line.split(' ');
      expect(names()).toContain(argv[0]);
      expect([line, (await parseArguments(argv, '0', 80)).kind]).toEqual([line, 'chosen']);
    }
  });
});
