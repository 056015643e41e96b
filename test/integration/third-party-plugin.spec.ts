import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { PLUGINS } from '../../plugins/index.js';
import { bindDetectors, compilePolicy, runScan, type PluginCatalog } from '../../src/core/index.js';
import { loadPlugins, PluginLoadError } from '../../src/plugin-registry/index.js';

const NAME = 'weir-plugin-invoices';

/** A package as a third party would publish it: a separate module with its own copy of zod. */
const PACKAGE: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({
    name: NAME,
    version: '2.1.0',
    type: 'module',
    exports: './index.js',
    peerDependencies: { zod: '^4' },
  }),
  'index.js': `import { z } from 'zod';

export const plugins = [
  {
    kind: 'text',
    meta: {
      id: 'invoices',
      version: '2.1.0',
      revision: 3,
      family: 'content',
      summary: 'Finds invoice numbers.',
      codes: { INVOICE: { title: 'An invoice number', enabled: true, minScore: 0.5 } },
      reach: { behind: 1, ahead: 20 },
      options: z.strictObject({ prefix: z.string().regex(/^[A-Z]{2,4}$/).default('INV') }),
      examples: [{ text: 'INV-000001', finds: [{ code: 'INVOICE', text: 'INV-000001' }] }],
    },
    create: ({ prefix }) => (text) =>
      [...text.matchAll(new RegExp('(?<![A-Z])' + prefix + '-[0-9]{6}(?![0-9])', 'g'))].map((match) => ({
        code: 'INVOICE',
        start: match.index,
        end: match.index + match[0].length,
        score: 0.9,
      })),
  },
];
`,
};

async function npm(cwd: string, ...argv: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('npm', [...argv, '--offline', '--no-audit', '--no-fund', '--silent'], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, npm_config_cache: join(cwd, '.npm') },
  });
  return stdout.trim();
}

const policy = (detector: string, plugins: PluginCatalog) =>
  compilePolicy({
    environment: 'production',
    files: [
      {
        path: 'production/policy.yaml',
        text: `apiVersion: weir/v1
kind: Policy
metadata: { id: test, owner: test@acme.example }
environment: production
default: allow
detectors:
  invoices: ${detector}
rules:
  - id: invoices.flag
    title: Invoices
    stage: pre
    severity: low
    when: { all: [{ invoices.types: { any_of: [INVOICE] } }] }
    then: { action: flag }
    on_unknown: no_match
`,
      },
    ],
    plugins,
  });

describe('A plugin of a third party', () => {
  let folder: string;
  let project: string;
  /** Imports a name as `import()` resolves it for a service that is installed in the project. */
  const importFromProject = (name: string): Promise<unknown> =>
    import(pathToFileURL(createRequire(join(project, 'package.json')).resolve(name)).href);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'weir-third-party-'));
    const source = join(folder, 'source');
    project = join(folder, 'project');
    await mkdir(source);
    await mkdir(project);
    for (const [file, text] of Object.entries(PACKAGE)) await writeFile(join(source, file), text);
    await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'project', private: true }));
    const own = await npm(source, 'pack', '--pack-destination', folder);
    const zod = await npm(folder, 'pack', join(process.cwd(), 'node_modules', 'zod'));
    await npm(project, 'install', join(folder, own), join(folder, zod));
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true }));

  it('is loaded by its name, together with the plugins of Weir', async () => {
    const catalog = await loadPlugins({ shipped: PLUGINS, packages: [NAME], importPackage: importFromProject });
    expect(catalog.detectors.map(({ meta }) => meta.id)).toEqual(
      [...PLUGINS.detectors.map(({ meta }) => meta.id), 'invoices'].sort(),
    );
    expect(catalog.structures).toHaveLength(PLUGINS.structures.length);
  });

  it('is used by a policy, with its options and in the version that the policy requires', async () => {
    const catalog = await loadPlugins({ shipped: PLUGINS, packages: [NAME], importPackage: importFromProject });
    const { policy: compiled, problems } = policy('{ plugin: invoices@^2, prefix: RE }', catalog);
    expect(problems).toEqual([]);
    expect(compiled!.detectors).toMatchObject([{ key: 'invoices', version: '2.1.0', revision: 3, codes: ['INVOICE'] }]);
    const [outcome] = await runScan(
      bindDetectors(compiled!, catalog),
      [{ path: 'prompt', role: 'user', text: 'pay RE-000017, not INV-000018', ref: 0 }],
      { nowMs: () => 0, deadlineMs: 1_000 },
    );
    expect(outcome).toMatchObject({ status: 'scanned', findings: [{ code: 'INVOICE', start: 4, end: 13 }] });
    const codes = (detector: string): string[] => policy(detector, catalog).problems.map(({ code }) => code);
    expect(codes('{ plugin: invoices@^1 }')).toContain('G122');
    expect(codes('{ plugin: invoices@^2, prefix: lower }')).toContain('G123');
  });

  it('that is not installed prevents the service from starting', async () => {
    const loading = loadPlugins({ shipped: PLUGINS, packages: ['weir-plugin-none'], importPackage: importFromProject });
    await expect(loading).rejects.toThrow(PluginLoadError);
    await expect(loading).rejects.toThrow('weir-plugin-none cannot be imported');
  });
});
