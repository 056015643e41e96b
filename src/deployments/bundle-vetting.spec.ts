import { ERROR_STATUS } from '../http/error-status.js';
import { WeirError } from '../http/index.js';
import { makeBundle, type Bundle } from '../core/index.js';
import { SHIPPED_PLUGINS } from '../plugin-registry/index.js';
import { BundleVetting } from './bundle-vetting.js';
import { pluginNames } from './vetting-protocol.js';

const HEAD = `apiVersion: weir/v1
kind: Policy
metadata: { id: p, title: P, owner: security@example.com }
environment: production
default: allow
`;
const RULE = `rules:
  - { id: p.flag, stage: pre, when: { model.name: gpt }, then: { action: flag } }
`;

function bundleOf(text: string): Bundle {
  return makeBundle({
    policy: { id: 'p', environment: 'production', detectors: [], structures: [], readers: [] },
    digest: '0'.repeat(64),
    files: [{ path: 'production/policy.yaml', text }],
    tests: [],
    source: { commit: null, clean: false },
  });
}
const terms = { nowMs: 0, waivedTests: [], untested: true };
const data = { packages: [], plugins: pluginNames(SHIPPED_PLUGINS) };

describe('The trial of an upload in a worker thread', () => {
  const vetting = new BundleVetting(data);
  afterAll(() => vetting.onApplicationShutdown());

  it('accepts a valid policy', async () => {
    expect(await vetting.refusalOf('a', bundleOf(HEAD + RULE), terms)).toBeUndefined();
  });

  it('reports the errors of a policy that does not compile', async () => {
    const refusal = await vetting.refusalOf('a', bundleOf(`${HEAD}colour: red\n${RULE}`), terms);
    expect(refusal).toMatchObject({ failure: 'uncompilable', problem: '1 error in the policy files' });
    expect(refusal?.details).toEqual(['production/policy.yaml:6 G003 unknown key "colour" in a policy']);
  });

  it('refuses a map with thousands of keys without comparing every key with every other key', async () => {
    const keys = Array.from({ length: 16_000 }, (_, index) => `key_${index}: 1\n`).join('');
    const refusal = await vetting.refusalOf('a', bundleOf(HEAD + keys + RULE), terms);
    expect(refusal).toMatchObject({ failure: 'uncompilable' });
  });
});

describe('An upload that takes too long', () => {
  const rules = Array.from({ length: 2_000 }, (_, index) => RULE.split('\n')[1]!.replace('p.flag', `p.f${index}`));
  const large = bundleOf(`${HEAD}rules:\n${rules.join('\n')}\n`);

  it('is refused with an error that names the limit, and only the same account must wait before the next upload', async () => {
    let nowMs = 0;
    const vetting = new BundleVetting(data, () => nowMs, { workMs: 5, memoryMb: 512, shortMs: 1 });
    const tried = (account: string) => vetting.refusalOf(account, large, terms);
    expect(await tried('a')).toMatchObject({
      failure: 'too_costly',
      problem: 'compiling and testing it takes more than 0.005 s of CPU time',
    });
    const again = await tried('a').catch((error: unknown) => error);
    expect(again).toBeInstanceOf(WeirError);
    const { type, options } = again as WeirError;
    expect([ERROR_STATUS[type], options.retryAfterSeconds]).toEqual([429, 1]);
    expect(await tried('b')).toMatchObject({ failure: 'too_costly' });
    nowMs = 16;
    expect(await tried('a')).toMatchObject({ failure: 'too_costly' });
    await vetting.onApplicationShutdown();
  });
});
