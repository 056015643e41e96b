import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Prints every file that one run of the built program loads. */
const LOGGER = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({ resolve(name, context, next) {
    const found = next(name, context);
    process.stderr.write('loads ' + found.url + '\\n');
    return found;
  } });
`)}`;
const FRAMEWORKS = /@nestjs|@mikro-orm|pglite|fastify/;

/** The files of this checkout that one run loads, each once, such as `dist/cli/main.js`. */
function filesOf(...argv: string[]): string[] {
  const main = resolve('dist/cli/main.js');
  const { stderr, status } = spawnSync(process.execPath, ['--import', LOGGER, main, ...argv], { encoding: 'utf8' });
  expect(status).toBe(0);
  const urls = stderr.split('\n').flatMap((line) => (line.startsWith('loads file:') ? [line.slice(6)] : []));
  return [...new Set(urls)].map((url) => relative('.', fileURLToPath(url)));
}

/** The modules in these files, without `dist/` and ending: a bundled file holds those that its source map names. */
function modulesIn(files: readonly string[]): string[] {
  return files
    .flatMap((file) => {
      if (!file.startsWith('dist/offline/')) return [file];
      if (file.includes('rolldown-runtime')) return [];
      const { sources } = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { readonly sources: readonly string[] };
      return sources.map((source) => relative('.', resolve(dirname(file), source)));
    })
    .map((file) => file.replace(/^dist\//, '').replace(/\.[jt]s$/, ''));
}

describe('the start of weir', () => {
  it('loads no framework, no database and no plugin to print help or its version', () => {
    for (const argv of [['--version'], ['--help'], ['lint', '--help'], ['keys', '--help']]) {
      const loaded = modulesIn(filesOf(...argv));
      expect(loaded.length).toBeGreaterThan(5);
      expect(loaded.filter((name) => FRAMEWORKS.test(name) || /^(plugins|src\/(?!core|authoring))/.test(name))).toEqual(
        [],
      );
    }
  });

  it.each([['lint'], ['test'], ['render', 'production'], ['mutate', '--rule', 'tool.block-dangerous']])(
    'loads neither names nor numbering plans for %s: policies compile with descriptions of detectors',
    (...argv) => {
      const loaded = modulesIn(filesOf(...argv));
      expect(loaded.filter((name) => name.startsWith('src/core/')).length).toBeGreaterThan(50);
      expect(loaded.filter((name) => /libphonenumber|tldts|pii\/(?!about|codes)|weights/.test(name))).toEqual([]);
    },
  );

  it.each([['lint'], ['test'], ['fmt', '--check'], ['--help']])(
    'reads few files for %s, and none of the single ones beside the bundled ones: each class is there once',
    (...argv) => {
      const files = filesOf(...argv);
      expect(files.length).toBeLessThan(40);
      const single = files.filter((file) => !file.startsWith('dist/offline/'));
      const start = ['main', 'compile-cache', 'newer-node', 'offline'].map((name) => `dist/cli/${name}.js`);
      expect(single.filter((file) => !start.includes(file))).toEqual([]);
    },
  );

  it('keeps what was compiled in a folder of the user, and nowhere when told not to', () => {
    const cache = mkdtempSync(join(tmpdir(), 'weir-cache-'));
    try {
      const env = { ...process.env, XDG_CACHE_HOME: cache };
      const main = resolve('dist/cli/main.js');
      expect(
        spawnSync(process.execPath, [main, '--version'], { env: { ...env, NODE_DISABLE_COMPILE_CACHE: '1' } }).status,
      ).toBe(0);
      expect(readdirSync(cache)).toEqual([]);
      expect(spawnSync(process.execPath, [main, '--version'], { env }).status).toBe(0);
      expect(readdirSync(join(cache, 'weir', 'compiled'))).toHaveLength(1);
    } finally {
      rmSync(cache, { recursive: true, force: true });
    }
  });

  it.each([['lint'], ['fmt', '--check'], ['schema', 'write', '--check']])(
    'loads no framework and no database for %s',
    (...argv) => {
      expect(modulesIn(filesOf(...argv)).filter((name) => FRAMEWORKS.test(name))).toEqual([]);
    },
  );
});
