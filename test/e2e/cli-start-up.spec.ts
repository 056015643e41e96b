import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/** The distinct files of this checkout that one run loads, such as `dist/cli/main.js`. */
function filesOf(...argv: string[]): string[] {
  const main = resolve('dist/cli/main.js');
  const { stderr, status } = spawnSync(process.execPath, ['--import', LOGGER, main, ...argv], { encoding: 'utf8' });
  expect(status).toBe(0);
  const urls = stderr.split('\n').flatMap((line) => (line.startsWith('loads file:') ? [line.slice(6)] : []));
  return [...new Set(urls)].map((url) => relative('.', fileURLToPath(url)));
}

/** The modules in these files, without `dist/` and extension: a bundled file contains the sources of its source map. */
function modulesIn(files: readonly string[]): string[] {
  return files
    .flatMap((file) => {
      if (!file.startsWith('dist/offline/')) return [file];
      // The bundler's runtime, and files that only re-export others, have no map.
      if (!existsSync(`${file}.map`)) return [];
      const { sources } = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { readonly sources: readonly string[] };
      return sources.map((source) => relative('.', resolve(dirname(file), source)));
    })
    .map((file) => file.replace(/^dist\//, '').replace(/\.[jt]s$/, ''));
}

/** Modules that only running detectors need, and that are slow to load. */
const LARGE = {
  'phone numbers': /libphonenumber/,
  'personal data': /^plugins\/pii\/(?!about|codes)/,
  'prompt injection': /weights/,
  secrets: /^plugins\/secrets\/secrets$/,
};

/** The names of the large parts among these modules. */
function largeOnes(modules: readonly string[]): string[] {
  return Object.entries(LARGE).flatMap(([what, pattern]) => (modules.some((one) => pattern.test(one)) ? [what] : []));
}

const POLICY = `apiVersion: weir/v1
kind: Policy
metadata: { id: production, owner: security@acme.example }
environment: production
default: allow
detectors: { secrets: { plugin: secrets@^1 } }
rules:
  - id: secrets.block
    title: No GitHub token leaves
    stage: pre
    severity: critical
    when: { all: [{ secrets.types: { any_of: [github_pat] } }] }
    then: { action: block, reason: content_policy_violation }
    on_unknown: match
`;
const TESTS = `apiVersion: weir/v1
kind: PolicyTest
environments: [production]
defaults: { stage: pre }
tests:
  - { id: token, text: 'is {{github_pat:ghp_${'XjsAFyDchvJjn4RdDQ6Appar2wOIkTEuJRBM'}}}', expect: { action: block, rules: [secrets.block] } }
  - { id: word, text: nothing, expect: { action: allow, rules: [] } }
`;

/** A new folder with policies whose only detector searches for secrets. The caller removes the folder. */
function policiesAboutSecrets(): string {
  const folder = mkdtempSync(join(tmpdir(), 'weir-start-'));
  for (const [name, text] of [
    ['production/policy.yaml', POLICY],
    ['tests/secrets.test.yaml', TESTS],
  ] as const) {
    mkdirSync(dirname(join(folder, name)));
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

describe('the start of weir', () => {
  it('loads no framework, no database and no plugin to print help or its version', () => {
    for (const argv of [['--version'], ['--help'], ['lint', '--help'], ['keys', '--help']]) {
      const loaded = modulesIn(filesOf(...argv));
      expect(loaded.length).toBeGreaterThan(5);
      expect(
        loaded.filter(
          (name) =>
            FRAMEWORKS.test(name) ||
            /^(plugins|src\/(?!core|authoring|config\/(?:quiet-libraries|network-defaults)))/.test(name),
        ),
      ).toEqual([]);
    }
  });

  it.each([['lint'], ['render', 'production'], ['test', '--detectors', 'stub']])(
    'loads no large detector for %s, because policies compile with descriptions of detectors',
    (...argv) => {
      const loaded = modulesIn(filesOf(...argv));
      expect(loaded.filter((name) => name.startsWith('src/core/')).length).toBeGreaterThan(50);
      expect(largeOnes(loaded)).toEqual([]);
    },
  );

  it.each([['test'], ['mutate']])('loads for %s only those large detectors that the tests run', (name) => {
    expect(largeOnes(modulesIn(filesOf(name)))).toEqual([
      'phone numbers',
      'personal data',
      'prompt injection',
      'secrets',
    ]);
    const folder = policiesAboutSecrets();
    try {
      expect(largeOnes(modulesIn(filesOf(name, '--policies', folder)))).toEqual(['secrets']);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.each([['lint'], ['test'], ['fmt', '--check'], ['--help']])(
    'reads few files for %s, and no code outside the bundle except the start, so that each class exists once',
    (...argv) => {
      const files = filesOf(...argv);
      expect(files.length).toBeLessThan(45);
      const single = files.filter((file) => !file.startsWith('dist/offline/'));
      const start = [
        ...['main', 'run-process', 'compile-cache', 'environment-proxy', 'newer-node', 'offline', 'exit-numbers'].map(
          (name) => `dist/cli/${name}.js`,
        ),
        ...['quiet-libraries', 'network-defaults'].map((name) => `dist/src/config/${name}.js`),
        'dist/src/core/stack-frames.js',
      ];
      expect(single.filter((file) => !start.includes(file))).toEqual([]);
    },
  );

  it('caches compiled code in a folder of the user, unless the cache is disabled', () => {
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
