import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Prints every module that one run of the built program loads. */
const LOGGER = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({ resolve(name, context, next) {
    const found = next(name, context);
    process.stderr.write('loads ' + found.url + '\\n');
    return found;
  } });
`)}`;

function modulesOf(...argv: string[]): string[] {
  const main = resolve('dist/cli/main.js');
  const { stderr, status } = spawnSync(process.execPath, ['--import', LOGGER, main, ...argv], { encoding: 'utf8' });
  expect(status).toBe(0);
  return stderr.split('\n').flatMap((line) => (line.startsWith('loads ') ? [line.slice(6)] : []));
}

describe('the start of weir', () => {
  it('loads no framework, no database and no plugin to print help or its version', () => {
    for (const argv of [['--version'], ['--help'], ['lint', '--help'], ['keys', '--help']]) {
      const loaded = modulesOf(...argv);
      expect(loaded.length).toBeGreaterThan(5);
      expect(
        loaded.filter((url) => /@nestjs|@mikro-orm|pglite|fastify|dist\/plugins|dist\/src\/(?!core)/.test(url)),
      ).toEqual([]);
    }
  });

  it.each([['lint'], ['test'], ['render', 'production'], ['mutate', '--rule', 'tool.block-dangerous']])(
    'loads neither names nor numbering plans for %s: policies compile with descriptions of detectors',
    (...argv) => {
      const loaded = modulesOf(...argv);
      expect(loaded.filter((url) => /dist\/src\/core/.test(url)).length).toBeGreaterThan(50);
      expect(loaded.filter((url) => /libphonenumber|tldts|pii\/(?!about|codes)|weights/.test(url))).toEqual([]);
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
      expect(modulesOf(...argv).filter((url) => /@nestjs|@mikro-orm|pglite|fastify/.test(url))).toEqual([]);
    },
  );
});
