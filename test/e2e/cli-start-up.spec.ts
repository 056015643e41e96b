import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

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
  const { stderr } = spawnSync(process.execPath, ['--import', LOGGER, main, ...argv], { encoding: 'utf8' });
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

  it.each([['lint'], ['fmt', '--check'], ['schema', 'write', '--check']])(
    'loads no framework and no database for %s',
    (...argv) => {
      expect(modulesOf(...argv).filter((url) => /@nestjs|@mikro-orm|pglite|fastify/.test(url))).toEqual([]);
    },
  );
});
