/** All names in guides, README and packages' pages must exist, because readers copy them. */
import { existsSync, readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SETTINGS } from '../../src/config/index.js';
import { ERROR_CATALOGUE } from '../../src/core/index.js';

/** Without decision records and the changelog, which describe the past, and reference pages, which are generated. */
const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', '{docs,sdk,plugins,policies}/**/*.md'];
const NOT_READ = /node_modules|docs\/adr\/|docs\/reference\/|\.venv/;

/** Variables that readers define themselves. */
const OF_READERS = new Set(['WEIR_KEY', 'WEIR_READ_TOKEN', 'WEIR_DEPLOY_TOKEN']);
const NAMED_FILE = /`((?:src|cli|plugins|test|bench|scripts|sdk|dashboard|deploy)\/[\w./-]+)`/g;
/** Files that the reader of a guide creates. */
const FILES_OF_READERS = /^plugins\/order-number\b|\/NNNN-/;
/** A route of a provider, which the page shows without the proxy's prefix. */
const OF_PROVIDERS = new Set(['/v1/models']);

interface Named {
  readonly page: string;
  readonly name: string;
}

async function textsOf(patterns: readonly string[], without: RegExp): Promise<[page: string, text: string][]> {
  const pages: [string, string][] = [];
  for await (const page of glob(patterns, { exclude: (name) => /node_modules|\.venv/.test(name) }))
    if (!without.test(page)) pages.push([page, readFileSync(page, 'utf8')]);
  return pages;
}

const openapi = JSON.parse(readFileSync('docs/reference/openapi.json', 'utf8')) as { paths: Record<string, object> };

/** Matches both `/v1/apps/{id}/keys` and `/v1/apps/:app/keys`. */
const pattern = (path: string): RegExp =>
  new RegExp(
    `^${path
      .split(/\{[^}]*\}/)
      .map((part) => part.replace(/[.*+?^$()|[\]\\]/g, '\\$&'))
      .join('.+')}$`,
  );
const ROUTES = Object.entries(openapi.paths).map(([path, methods]) => ({ path: pattern(path), methods }));

/** Each command's section of the page that is generated from the commands. */
const COMMANDS = new Map(
  readFileSync('docs/reference/cli.md', 'utf8')
    .split(/^## weir /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')).trim(), section] as const),
);

describe('Pages for readers', () => {
  let pages: [string, string][];
  let code: string;
  beforeAll(async () => {
    pages = await textsOf(PAGES, NOT_READ);
    const sources = ['{src,cli,plugins,test,bench,scripts,sdk}/**/*.{ts,mjs,cjs,py}', 'action.yml', '.ci/*'];
    code = (await textsOf(sources, /node_modules|names-in-docs/)).map(([, text]) => text).join('\n');
  });
  const named = (expression: RegExp): Named[] =>
    pages.flatMap(([page, text]) => [...text.matchAll(expression)].map((match) => ({ page, name: match[1]! })));

  it('name only existing settings', () => {
    const settings = new Set<string>(Object.values(SETTINGS).map(({ name }) => name));
    const unknown = named(/\b(WEIR_[A-Z][A-Z0-9_]*[A-Z0-9])\b(?!_|\*)/g).filter(
      ({ name }) => !OF_READERS.has(name) && !settings.has(name) && !new RegExp(`\\b${name}\\b`).test(code),
    );
    expect(unknown).toEqual([]);
  });

  it('name only existing files', async () => {
    const readmes = await textsOf(['{src,dashboard}/**/README.md'], /node_modules/);
    const files = [...pages, ...readmes].flatMap(([page, text]) =>
      [...text.matchAll(NAMED_FILE)].map(([, name = '']) => ({ page, name })),
    );
    const missing = files
      .filter(({ name }) => !FILES_OF_READERS.test(name))
      .filter(({ page, name }) => !existsSync(name) && !existsSync(join(dirname(page), name)));
    expect(files.length).toBeGreaterThan(100);
    expect(missing).toEqual([]);
  });

  it('name only existing endpoints, with their method', () => {
    const found = pages.flatMap(([page, text]) =>
      [...text.matchAll(/\b(GET|POST|PUT|PATCH|DELETE) (\/(?:v1|auth|webhooks)\/[\w./{}:…-]*[\w}…])/g)].map(
        (match) => ({
          ...{ page, method: match[1]!.toLowerCase(), path: match[2]! },
        }),
      ),
    );
    expect(found.length).toBeGreaterThan(30);
    const isThere = ({ method, path }: { method: string; path: string }): boolean =>
      ROUTES.some((route) => route.path.test(path.replace('…', 'anything')) && method in route.methods);
    expect(found.filter((one) => !OF_PROVIDERS.has(one.path) && !isThere(one))).toEqual([]);
  });

  it('name only existing commands and flags', () => {
    const lines = pages.flatMap(([page, text]) =>
      [...text.matchAll(/(?:^|`|\$ |npx )weir ([a-z][^`\n#|]*)/gm)].map((match) => ({ page, line: match[1]!.trim() })),
    );
    const wrong = lines.filter(({ line }) => {
      const name = [3, 2, 1]
        .map((count) => line.split(/\s+/).slice(0, count).join(' '))
        .find((each) => COMMANDS.has(each));
      const isGroup = [...COMMANDS.keys()].some((each) => each.startsWith(`${line.replace(/ (?:.*<|…|and ).*/, '')} `));
      if (name === undefined) return !isGroup;
      const [own = ''] = line.split(/ -- | && | \|\| | > |;/);
      const flags = own.match(/(?<=\s)--[a-z][\w-]*/g) ?? [];
      return flags.some((flag) => !new RegExp(`${flag.replace(/^--no-/, '--(no-)?')}\\b`).test(COMMANDS.get(name)!));
    });
    expect(lines.length).toBeGreaterThan(100);
    expect(wrong).toEqual([]);
  });

  it('name only existing Prometheus metrics', () => {
    const metrics = new Set([...code.matchAll(/'(weir_[a-z_]+)'/g)].map((match) => match[1]!));
    const isThere = (name: string): boolean =>
      metrics.has(name.replace(/_(bucket|sum|count)$/, '')) || metrics.has(name);
    expect(metrics.size).toBeGreaterThan(5);
    const found = named(/\b(weir_[a-z_]*[a-z])\b(?!\*|_|\()/g).filter(({ name }) => !/^weir_(sdk|of)/.test(name));
    expect(found.filter(({ name }) => !isThere(name) && !new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
  });

  it('link only to existing errors', () => {
    const unknown = named(/errors\.md#(\w+)/g).filter(({ name }) => !(name in ERROR_CATALOGUE));
    expect(unknown).toEqual([]);
  });
});
