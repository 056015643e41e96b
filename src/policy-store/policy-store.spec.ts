import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { defineDetector, type Environment, type PluginCatalog } from '../core/index.js';
import { PolicyLoadError, PolicyStore, type PolicyReload, type PolicyStoreLog } from './index.js';
import type { Schedule } from './folder-watch.js';

let scanned = 0;
const words = defineDetector({
  meta: {
    id: 'words',
    version: '1.0.0',
    revision: 3,
    family: 'content',
    summary: 'Finds a word.',
    codes: { WORD: { title: 'A word', enabled: true, minScore: 0 } },
    reach: 'whole_text',
    options: z.strictObject({}),
    examples: [],
  },
  create: () => (text) => {
    scanned += 1;
    if (text.startsWith('Call')) throw new Error('a detector may throw');
    return text.startsWith('word') ? [{ code: 'WORD', start: 0, end: 4, score: 1 }] : [];
  },
});
const plugins: PluginCatalog = { detectors: [words], structures: [], ledgers: [] };

const BASE = `
apiVersion: weir/v1
kind: Policy
metadata: { id: base, owner: a@b.example }
detectors: { words: { plugin: words@^1 } }
rules:
  - id: words.flag
    stage: pre
    when: { words.count: { gt: 0 } }
    then: { action: flag }
`;
const policy = (environment: string, more = ''): string => `
apiVersion: weir/v1
kind: Policy
metadata: { id: ${environment}, owner: a@b.example }
environment: ${environment}
default: allow
extends: [../_shared/base.yaml]
${more}`;

/** Runs without a delay: tests wait for reloads, not for time. */
const atOnce: Schedule = (run) => {
  const immediate = setImmediate(run);
  return { cancel: () => clearImmediate(immediate) };
};

describe('PolicyStore', () => {
  let root: string;
  let stores: PolicyStore[] = [];
  let lines: string[] = [];
  const log: PolicyStoreLog = {
    info: (message) => void lines.push(`info ${message}`),
    warn: (message) => void lines.push(`warn ${message}`),
    error: (message) => void lines.push(`error ${message}`),
  };

  beforeEach(async () => {
    root = path.join(await mkdtemp(path.join(tmpdir(), 'weir-policies-')), 'policies');
    lines = [];
    await put('_shared/base.yaml', BASE);
    for (const environment of ['development', 'staging', 'production'])
      await put(`${environment}/policy.yaml`, policy(environment));
  });

  afterEach(async () => {
    for (const store of stores) await store.close();
    stores = [];
    await rm(path.dirname(root), { recursive: true, force: true });
  });

  async function put(file: string, text: string): Promise<void> {
    const target = path.join(root, file);
    await mkdir(path.dirname(target), { recursive: true });
    // As editors do: a new file replaces the old one, so that no reader sees an incomplete file.
    await writeFile(`${target}.new`, text);
    await rename(`${target}.new`, target);
  }

  function make(watch = false): PolicyStore {
    const store = new PolicyStore({ directory: root, watch, plugins }, { log, nowMs: () => 1_000, schedule: atOnce });
    stores.push(store);
    return store;
  }

  async function failure(store: PolicyStore): Promise<Error> {
    return store.start().then(
      () => Promise.reject(new Error('the store started')),
      (error: Error) => error,
    );
  }

  /** Resolves with the next reload of an environment. */
  function next(store: PolicyStore, environment: Environment): Promise<PolicyReload> {
    return new Promise((resolve) => {
      const stop = store.onReload((reload) => {
        if (reload.environment !== environment) return;
        stop();
        resolve(reload);
      });
    });
  }

  it('serves one compiled, bound policy per environment', async () => {
    const store = make();
    await store.start();
    const active = store.active('any account', 'production');
    expect(active.policy).toMatchObject({ id: 'production', environment: 'production' });
    expect(active.policy.rules.map(({ id }) => id)).toEqual(['words.flag']);
    expect(active.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(active.version).toBe(active.digest.slice(0, 12));
    expect(active.detectors.map(({ binding, scan }) => [binding.revision, scan('word!').length])).toEqual([[3, 1]]);
    expect(store.active('another', 'production')).toBe(active);
    expect(store.active('any account', 'staging').digest).not.toBe(active.digest);
  });

  it('runs each detector twice before the first call, once alone (as for a stream) and once with the others, and ignores the results', async () => {
    scanned = 0;
    await make().start();
    expect(scanned).toBe(2);
  });

  it('reports the policies in force for readiness', async () => {
    const store = make();
    expect(store.status()).toEqual([]);
    await store.start();
    expect(
      store
        .status()
        .map(({ environment, policyId, loadedAtMs, lastError }) => [environment, policyId, loadedAtMs, lastError]),
    ).toEqual([
      ['development', 'development', 1_000, false],
      ['staging', 'staging', 1_000, false],
      ['production', 'production', 1_000, false],
    ]);
  });

  it('computes the same digest for files that differ only in comments', async () => {
    const store = make();
    await store.start();
    const { digest } = store.active('', 'production');
    await put('production/policy.yaml', `# a comment\n${policy('production')}`);
    await store.reload();
    expect(store.active('', 'production').digest).toBe(digest);
  });

  it('has no policy before it has started', () => {
    expect(() => make().active('', 'production')).toThrow(/no policy is loaded for production/);
  });

  it('refuses to start if policies do not compile, and shows the code frames of each of these policies', async () => {
    await put('staging/policy.yaml', policy('staging', 'contents: full'));
    await put('production/policy.yaml', policy('production', 'mode: enforced'));
    const error = await failure(make());
    expect(error).toBeInstanceOf(PolicyLoadError);
    expect(error.message).toMatch(/policies\/staging\/policy\.yaml:8:1/);
    expect(error.message).toMatch(/contents: full/);
    expect(error.message).toMatch(/policies\/production\/policy\.yaml:8:7/);
    expect(error.message).toMatch(/mode: enforced/);
    expect(error.message).not.toMatch(/development/);
  });

  it('names an environment that has no folder, and one whose folder is empty', async () => {
    await rm(path.join(root, 'staging'), { recursive: true });
    await rm(path.join(root, 'production/policy.yaml'));
    const { message } = await failure(make());
    expect(message).toMatch(/there is no folder "staging"/);
    expect(message).toMatch(/the folder "production" has no policy file/);
  });

  it.each(['production/team/rules.yaml', 'production/Rules.YAML'])(
    'refuses to start with a policy file that no policy loads, because its rules would not apply: %s',
    async (file) => {
      await put(file, BASE);
      expect((await failure(make())).message).toMatch(new RegExp(`no policy loads this file[^]*policies/${file}`));
    },
  );

  it('starts with a subfolder if its policies are extended, or its files are none', async () => {
    await put('production/team/base.yaml', BASE);
    await put('production/policy.yaml', policy('production').replace('../_shared/base.yaml', 'team/base.yaml'));
    await put('production/team/notes.yaml', 'notes: [1]\n');
    await put('production/..data/old.yaml', BASE);
    await make().start();
  });

  it('logs a policy file that no policy loads if it appears later', async () => {
    const store = make();
    await store.start();
    await put('production/team/rules.yaml', BASE);
    for (let times = 0; times < 2; times++) await store.reload();
    expect(lines).toEqual([
      expect.stringMatching(/^error policy files are not loaded[^]*production\/team\/rules\.yaml/),
    ]);
  });

  it('blames no extended file while the file that extends it does not compile', async () => {
    const extending = policy('production').replace('../_shared/base.yaml', 'team/base.yaml');
    await put('production/team/base.yaml', BASE);
    await put('production/policy.yaml', `${extending}\n  - [`);
    expect((await failure(make())).message).not.toContain('no policy loads this file');
    await put('production/policy.yaml', extending);
    const store = make();
    await store.start();
    await put('production/policy.yaml', `${extending}\n  - [`);
    await store.reload();
    expect(lines).toEqual([expect.stringMatching(/^error the changed production policy does not compile/)]);
  });

  it('warns of a blocking budget without default_max_tokens, and starts', async () => {
    const budgets = 'budgets: [{ id: day, scope: [app], window: { per: day }, limit: { usd: 5 }, on_exceed: block }]';
    await put('production/policy.yaml', policy('production', budgets));
    await make().start();
    expect(lines.filter((line) => line.startsWith('warn'))).toEqual([expect.stringMatching(/budget/)]);
  });

  it('refuses a path that leads out of the policies directory', async () => {
    await writeFile(path.join(path.dirname(root), 'outside.yaml'), BASE);
    await put('production/policy.yaml', policy('production').replace('../_shared/base.yaml', '../../outside.yaml'));
    expect((await failure(make())).message).toMatch(/outside the policies directory\n.*production\/policy\.yaml:7:11/);
  });

  it.each(['production/extra.yaml', '_shared/base.yaml'])(
    'refuses a link that leads out of the policies directory in place of %s',
    async (file) => {
      const outside = path.join(path.dirname(root), 'outside.yaml');
      await writeFile(outside, BASE);
      await rm(path.join(root, file), { force: true });
      await symlink(outside, path.join(root, file));
      expect((await failure(make())).message).toMatch(/link to a file outside the policies directory/);
    },
  );

  it('follows links inside the directory, as in mounted volumes', async () => {
    await put('..data/policy.yaml', policy('production'));
    await rm(path.join(root, 'production/policy.yaml'));
    await symlink('../..data/policy.yaml', path.join(root, 'production/policy.yaml'));
    await make().start();
  });

  it('puts a changed file in force, while a call keeps the snapshot that it has', async () => {
    const store = make(true);
    await store.start();
    const before = store.active('', 'production');
    const reloaded = next(store, 'production');
    await put('production/policy.yaml', policy('production', 'content: none'));
    expect(await reloaded).toEqual({ environment: 'production', outcome: 'loaded' });
    expect(store.active('', 'production').policy.content).toBe('none');
    expect(before.policy.content).toBe('redacted');
    expect(lines.some((line) => line.startsWith('info production policy'))).toBe(true);
  });

  it('reloads every environment that extends a changed file', async () => {
    const store = make(true);
    await store.start();
    const all = Promise.all(
      (['development', 'staging', 'production'] as const).map((environment) => next(store, environment)),
    );
    await put('_shared/base.yaml', BASE.replace('gt: 0', 'gt: 1'));
    expect((await all).map(({ outcome }) => outcome)).toEqual(['loaded', 'loaded', 'loaded']);
  });

  it('keeps the last good policy if a change does not compile, logs the error, and recovers', async () => {
    const store = make(true);
    await store.start();
    const { digest } = store.active('', 'production');
    const broken = next(store, 'production');
    await put('production/policy.yaml', policy('production', 'mode: enforced'));
    expect(await broken).toEqual({ environment: 'production', outcome: 'kept' });
    expect(store.active('', 'production').digest).toBe(digest);
    expect(store.status().map(({ lastError }) => lastError)).toEqual([false, false, true]);
    expect(lines.join('\n')).toMatch(
      /error the changed production policy does not compile[^]*policies\/production\/policy\.yaml:8:7/,
    );
    const repaired = next(store, 'production');
    await put('production/policy.yaml', policy('production', 'mode: monitor'));
    expect(await repaired).toEqual({ environment: 'production', outcome: 'loaded' });
    expect(store.status().map(({ lastError }) => lastError)).toEqual([false, false, false]);
    expect(store.active('', 'production').policy.monitor).toBe(true);
  });

  it('notices changes in a folder that is newly referenced', async () => {
    const store = make(true);
    await store.start();
    const linked = next(store, 'production');
    await put(
      '_team/more.yaml',
      BASE.replace('id: base', 'id: more').replace('words.flag', 'words.more').replace('detectors', '# '),
    );
    await put('production/policy.yaml', policy('production').replace(']', ', ../_team/more.yaml]'));
    await linked;
    const changed = next(store, 'production');
    await put(
      '_team/more.yaml',
      BASE.replace('id: base', 'id: more').replace('words.flag', 'words.other').replace('detectors', '# '),
    );
    await changed;
    expect(store.active('', 'production').policy.rules.map(({ id }) => id)).toContain('words.other');
  });

  it('does nothing if no file has changed', async () => {
    const store = make();
    await store.start();
    const before = store.active('', 'production');
    const seen: PolicyReload[] = [];
    store.onReload((reload) => seen.push(reload));
    await store.reload();
    expect(seen).toEqual([]);
    expect(store.active('', 'production')).toBe(before);
  });
});
