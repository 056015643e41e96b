import { execFileSync } from 'node:child_process';

/** The files that `npm run test:<project> -- <words>` would run. */
function chosenBy(...words: readonly string[]): string[] {
  const { WEIR_TEST_SET: _, ...env } = process.env;
  const listed = execFileSync(process.execPath, ['scripts/test.mjs', ...words, '--listTests'], {
    encoding: 'utf8',
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return listed
    .split('\n')
    .flatMap((line) => (line.endsWith('.spec.ts') ? [line.slice(process.cwd().length + 1)] : []));
}

describe('The command that runs tests', () => {
  it.each([
    [['unit', 'plugins/keywords'], ['plugins/keywords/keywords.spec.ts']],
    [['unit', '--maxWorkers=1', 'plugins/keywords'], ['plugins/keywords/keywords.spec.ts']],
    [['integration', 'budgets.spec'], ['test/integration/budgets.spec.ts']],
  ])('runs only the files that its arguments name: %s', (words, files) => {
    expect(chosenBy(...words)).toEqual(files);
  });
});
