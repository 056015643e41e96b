import { Test } from '@nestjs/testing';
import { z } from 'zod';
import { PLUGINS } from '../../plugins/index.js';
import type { AnyDetector, LedgerPlugin, PluginCatalog, StructurePlugin } from '../core/index.js';
import { LoadedPlugins, loadPlugins, PluginLoadError, PluginRegistryModule } from './index.js';

const NONE: PluginCatalog = { detectors: [], structures: [], ledgers: [] };

const detector = (id: string): AnyDetector => ({
  kind: 'text',
  meta: {
    id,
    version: '1.0.0',
    revision: 1,
    family: 'content',
    summary: 'Finds a word.',
    codes: { WORD: { title: 'A word', enabled: true, minScore: 0.5 } },
    reach: { behind: 0, ahead: 4 },
    options: z.strictObject({}),
    examples: [],
  },
  create: () => () => [],
});
const structure = (id: string, fact: string): StructurePlugin => ({
  kind: 'structure',
  meta: { id, version: '1.0.0', revision: 1, summary: 'Reads nothing.', options: z.strictObject({}) },
  facts: [{ name: fact, type: 'string', summary: '', stages: ['pre'], optional: false, clientControlled: false }],
  read: () => ({}),
});

const ledger = (id: string, root: string): LedgerPlugin => ({
  kind: 'ledger',
  meta: { id, version: '1.0.0', revision: 1, summary: 'Reads nothing.', options: z.strictObject({}) },
  root,
  facts: () => [],
  read: () => ({}),
  usagesAt: () => [],
});

async function problemsOf(modules: Record<string, unknown>, shipped = NONE): Promise<readonly string[]> {
  const error: unknown = await loadPlugins({
    shipped,
    packages: Object.keys(modules),
    importPackage: (name) => Promise.resolve(modules[name]),
  }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(PluginLoadError);
  return (error as PluginLoadError).problems;
}

describe('Loading plugins', () => {
  it('takes every shipped plugin', async () => {
    const catalog = await loadPlugins({ shipped: PLUGINS, packages: [] });
    expect(catalog.detectors).toHaveLength(PLUGINS.detectors.length);
    expect(catalog.structures).toHaveLength(PLUGINS.structures.length);
    expect(catalog.ledgers).toHaveLength(PLUGINS.ledgers.length);
  });

  it('joins the plugins of packages to the shipped ones, sorted by id', async () => {
    const modules: Record<string, unknown> = {
      'weir-plugin-b': { plugins: [detector('bb'), ledger('ll', 'burn'), structure('ss', 'weather.now')] },
      '@acme/a': { default: detector('aa') },
    };
    const catalog = await loadPlugins({
      shipped: { detectors: [detector('ab')], structures: [], ledgers: [] },
      packages: Object.keys(modules),
      importPackage: (name) => Promise.resolve(modules[name]),
    });
    expect(catalog.detectors.map(({ meta }) => meta.id)).toEqual(['aa', 'ab', 'bb']);
    expect(catalog.structures.map(({ meta }) => meta.id)).toEqual(['ss']);
    expect(catalog.ledgers.map(({ meta }) => meta.id)).toEqual(['ll']);
  });

  it('refuses an id that another plugin already has', async () => {
    expect(await problemsOf({ x: { default: detector('pii') } }, PLUGINS)).toEqual([
      'x: the id "pii" is also used by a plugin of Weir',
    ]);
  });

  it('refuses facts that another plugin or Weir itself already declares', async () => {
    const modules = {
      x: { plugins: [structure('one', 'weather.a'), structure('two', 'weather.b')] },
      y: { default: structure('three', 'model.x') },
      z: { plugins: [ledger('four', 'app'), ledger('five', 'weather')] },
    };
    expect(await problemsOf(modules)).toEqual([
      'x: plugin two claims the facts "weather", which plugin one already provides',
      'y: plugin three claims the facts "model", which Weir itself already provides',
      'z: plugin four claims the facts "app", which Weir itself already provides',
      'z: plugin five claims the facts "weather", which plugin two already provides',
    ]);
  });

  it('names all faults of the plugins at once', async () => {
    const good = detector('good');
    const bad = {
      ...good,
      create: undefined,
      meta: { ...good.meta, id: 'Bad Id', version: '1', reach: {}, options: {} },
    };
    const shapeless = { ...ledger('burn', 'Not a root'), read: undefined };
    const offered = { plugins: [bad, null, { kind: 'other' }, shapeless] };
    expect(await problemsOf({ a: {}, b: offered, c: { default: good } })).toEqual([
      'a offers no plugin: it must export "plugins" or have a default export',
      'b: plugin number 1 has an id that is not in kebab case',
      'b: plugin number 1 has no semantic version',
      'b: plugin number 1 has no options schema',
      'b: plugin number 1 has no create function',
      'b: plugin number 1 has no reach',
      'b: plugin number 2 is not an object',
      'b: plugin number 3 has a kind other than "text", "remote", "structure" and "ledger"',
      'b: plugin burn has no read function',
      'b: plugin burn has no valid root for its facts',
    ]);
  });

  it('names the package that cannot be imported, but not the message of its error', async () => {
    const error: unknown = await loadPlugins({
      shipped: NONE,
      packages: ['weir-plugin-that-is-not-installed', '../evil.js', 'file:///etc/passwd'],
    }).catch((reason: unknown) => reason);
    expect((error as PluginLoadError).problems).toEqual([
      expect.stringMatching(/^weir-plugin-that-is-not-installed cannot be imported \(.+\): is it installed\?$/),
      'one of the package names is not an npm package name',
      'one of the package names is not an npm package name',
    ]);
  });

  it('provides the catalog through its module, and prevents the start of the service if loading fails', async () => {
    const start = (packages: string[]) =>
      Test.createTestingModule({
        imports: [PluginRegistryModule.forRootAsync({ useFactory: () => ({ shipped: PLUGINS, packages }) })],
      }).compile();
    const app = await start([]);
    expect(app.get(LoadedPlugins).catalog.detectors.map(({ meta }) => meta.id)).toContain('pii');
    await expect(start(['weir-plugin-that-is-not-installed'])).rejects.toThrow(PluginLoadError);
  });
});
