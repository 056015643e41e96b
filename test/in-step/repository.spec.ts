import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

interface ImportRule {
  readonly name: string;
  readonly comment?: string;
  readonly from: { readonly path?: string };
}

const trackedFiles = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '');
const scripts = (JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }).scripts;
const configuration = (await import(`${process.cwd()}/.dependency-cruiser.mjs`)) as {
  readonly default: { readonly forbidden: readonly ImportRule[] };
};
const layers = (await import(`${process.cwd()}/scripts/layers.mjs`)) as Readonly<
  Record<'FEATURES' | 'CORE_FOLDERS' | 'AUTHORING_FOLDERS', readonly { readonly folder: string }[]>
>;
const importRules = configuration.default.forbidden;

describe('The repository stays in step with itself', () => {
  it.each(importRules.filter((rule) => rule.from.path !== undefined))(
    'import rule $name still guards a file',
    (rule) => {
      expect(trackedFiles.some((file) => new RegExp(rule.from.path!).test(file))).toBe(true);
      expect(rule.comment).toBeTruthy();
    },
  );

  it.each([
    ['src', layers.FEATURES],
    ['src/core', layers.CORE_FOLDERS],
    ['src/authoring', layers.AUTHORING_FOLDERS],
  ])('the list of layers names every folder of %s once, and no other', (root, ordered) => {
    const folders = trackedFiles
      .filter((file) => file.startsWith(`${root}/`))
      .map((file) => file.slice(root.length + 1).split('/'))
      .flatMap(([folder, ...below]) => (below.length > 0 ? [folder!] : []));
    expect(ordered.map(({ folder }) => folder).sort()).toEqual([...new Set(folders)].sort());
  });

  it.each(['README.md', 'CONTRIBUTING.md'])('every npm script that %s names exists', (page) => {
    const named = [...readFileSync(page, 'utf8').matchAll(/npm run ([a-z][\w:-]*)/g)].map((match) => match[1]!);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  it('the lock file names no registry', () => {
    expect(readFileSync('package-lock.json', 'utf8')).not.toMatch(/"resolved": "https?:/);
  });

  it('every page that a page links to exists', () => {
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
