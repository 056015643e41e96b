import { Test } from '@nestjs/testing';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PolicyLoadError, PolicyStore, PolicyStoreModule } from './index.js';

describe('PolicyStoreModule', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'weir-policies-'));
    for (const environment of ['development', 'staging', 'production']) {
      await mkdir(path.join(directory, environment));
      const rule = `{ id: all.flag, stage: pre, when: { environment: ${environment} }, then: { action: flag } }`;
      const head = `apiVersion: weir/v1\nkind: Policy\nmetadata: { id: ${environment}, owner: a@b.example }\n`;
      const text = `${head}environment: ${environment}\ndefault: allow\nrules: [${rule}]\n`;
      await writeFile(path.join(directory, environment, 'policy.yaml'), text);
    }
  });

  afterEach(() => rm(directory, { recursive: true, force: true }));

  const compile = () => {
    const useFactory = () => ({ directory, watch: true, plugins: { detectors: [], structures: [], ledgers: [] } });
    return Test.createTestingModule({ imports: [PolicyStoreModule.forRootAsync({ useFactory })] }).compile();
  };

  it('provides a started store, and closes it with the application', async () => {
    const module = await compile();
    await module.init();
    const store = module.get(PolicyStore);
    expect(store.active('account', 'staging').policy.id).toBe('staging');
    await module.close();
    expect(store.active('account', 'staging').policy.id).toBe('staging');
  });

  it('prevents the application from starting if a policy does not compile', async () => {
    await writeFile(path.join(directory, 'staging', 'policy.yaml'), 'kind: Policies');
    await expect(compile()).rejects.toThrow(PolicyLoadError);
  });
});
