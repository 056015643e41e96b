import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

interface Options {
  readonly testPathIgnorePatterns?: readonly string[];
  readonly testRegex?: readonly string[];
}
interface Sets {
  readonly FULL: readonly string[];
  readonly SAMPLED: readonly string[];
  readonly SAMPLED_BY_KIND: readonly string[];
  readonly LEFT_OUT: readonly { readonly file: string }[];
  optionsOf(set: string | undefined): Options;
}
const {
  FULL,
  SAMPLED,
  SAMPLED_BY_KIND,
  LEFT_OUT: named,
  optionsOf,
} = (await import(`${process.cwd()}/test/sets.mjs`)) as Sets;
const LEFT_OUT = named.map(({ file }) => file);
const { default: jest } = (await import(`${process.cwd()}/jest.config.mjs`)) as {
  readonly default: {
    readonly projects: readonly { readonly displayName: string; readonly roots: readonly string[] }[];
  };
};
const specs = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.spec.ts'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '');

/** Whether a set includes a file. Jest matches the patterns with the file's absolute path. */
function runsIn(set: string, file: string): boolean {
  const matches = (pattern: string): boolean => new RegExp(pattern).test(`${process.cwd()}/${file}`);
  const { testRegex = ['\\.spec\\.ts$'], testPathIgnorePatterns = [] } = optionsOf(set);
  return testRegex.some(matches) && !testPathIgnorePatterns.some(matches);
}

describe('Every test runs', () => {
  it('once: a file is in `npm test` or in `npm run test:full`, and in both only if `npm test` samples it', () => {
    const chosen = specs.filter((file) => !LEFT_OUT.includes(file) && !SAMPLED.includes(file));
    const misplaced = chosen.filter((file) => runsIn('quick', file) === runsIn('full', file));
    expect(specs.length).toBeGreaterThan(300);
    expect(misplaced).toEqual([]);
    expect(LEFT_OUT.filter((file) => !specs.includes(file))).toEqual([]);
  });

  it('with all its random cases in `npm run test:full` if `npm test` samples them', () => {
    for (const set of ['quick', 'full']) expect(SAMPLED.filter((file) => !runsIn(set, file))).toEqual([]);
    expect(SAMPLED.filter((file) => !specs.includes(file))).toEqual([]);
    expect(SAMPLED_BY_KIND.filter((file) => !SAMPLED.includes(file))).toEqual([]);
    const choosing = /from 'fast-check'|support\/sampled\.js'/;
    expect(SAMPLED.filter((file) => !choosing.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  it('in one project of jest', () => {
    const projectsOf = (file: string): string[] =>
      jest.projects
        .filter(({ roots }) => roots.some((root) => file.startsWith(`${root.replace('<rootDir>/', '')}/`)))
        .map(({ displayName }) => displayName);
    expect(specs.filter((file) => projectsOf(file).length !== 1)).toEqual([]);
  });

  it('only once if it is in the list of slow tests, which names only existing files', () => {
    expect(FULL.filter((file, index) => FULL.indexOf(file) !== index)).toEqual([]);
    expect(FULL.filter((file) => !specs.includes(file))).toEqual([]);
  });

  it('in one of the shards of slow tests in CI if it is slow, and each shard begins with one of the four slowest', async () => {
    const { default: Sequencer } = (await import(`${process.cwd()}/test/support/dearest-first.cjs`)) as {
      readonly default: new () => { shard(tests: readonly object[], part: object): { readonly path: string }[] };
    };
    const rootDir = process.cwd();
    const tests = [...FULL].reverse().map((file) => ({ path: `${rootDir}/${file}`, context: { config: { rootDir } } }));
    const parts = [1, 2, 3, 4].map((shardIndex) =>
      new Sequencer().shard(tests, { shardIndex, shardCount: 4 }).map(({ path }) => path.slice(rootDir.length + 1)),
    );
    expect(parts.flat().sort()).toEqual([...FULL].sort());
    expect(parts.map(([first]) => first)).toEqual(FULL.slice(0, 4));
  });

  it('in CI, with the same two commands that developers use', () => {
    const ci = readFileSync('.ci/run', 'utf8');
    expect(ci).toMatch(/^ *tests 'tests' npm test$/m);
    expect(ci).toMatch(/^ *tests "tests that take long, part .*" npm run test:full -- "--shard=\$part\/\$PARTS"$/m);
    expect(ci).toMatch(/^long_tests$/m);
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    expect([scripts['test'], scripts['test:full']]).toEqual(['node scripts/test.mjs', 'node scripts/test.mjs full']);
  });
});
