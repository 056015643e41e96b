import { runPolicyTests, type PolicyTestInput, type TestIdentity } from '../index.js';
import { compilePolicy, type CompiledPolicy, type Environment, type PluginCatalog } from '../../core/index.js';
import { CATALOG } from './testdata/catalog.js';

const NOW_MS = Date.parse('2026-11-21T10:00:00Z');

function policyOf(environment: Environment, codes: string): CompiledPolicy {
  const text = `
apiVersion: weir/v1
kind: Policy
metadata: { id: ${environment}, title: Contact details, owner: security@acme.example }
environment: ${environment}
default: allow
detectors:
  pii: { plugin: pii@^1, codes: [${codes}] }
rules:
  - id: pii.block
    title: No contact details
    stage: pre
    severity: high
    when: { pii.count: { gt: 0 } }
    then: { action: block }
    on_unknown: match
`;
  const file = { path: `policies/${environment}/policy.yaml`, text };
  const { policy, problems } = compilePolicy({ environment, files: [file], plugins: CATALOG });
  if (policy === undefined) throw new Error(problems.map(({ message }) => message).join('\n'));
  return policy;
}

/** The catalog with structure plugins that record each call they read. */
function noting(reads: string[]): PluginCatalog {
  const structures = CATALOG.structures.map((plugin) => ({
    ...plugin,
    read: (...[call, ...rest]: Parameters<typeof plugin.read>) => {
      reads.push(call.segments.map(({ text }) => text).join());
      return plugin.read(call, ...rest);
    },
  }));
  return { ...CATALOG, structures };
}

const suite = (tests: string): string => `
apiVersion: weir/v1
kind: PolicyTest
environments: [production, staging, development]
tests:
${tests.replace(/^/gm, '  ')}`;

async function actionsOf(
  tests: string,
  more: Partial<Pick<PolicyTestInput, 'plugins' | 'only'>> = {},
): Promise<Record<string, string>> {
  const policies = new Map<Environment, CompiledPolicy>([
    ['production', policyOf('production', 'EMAIL, PHONE')],
    ['staging', policyOf('staging', 'EMAIL, PHONE')],
    ['development', policyOf('development', 'EMAIL')],
  ]);
  const files = [{ path: 'tests/contact.test.yaml', text: suite(tests) }];
  const { results, problems } = await runPolicyTests({ files, policies, plugins: CATALOG, nowMs: NOW_MS, ...more });
  expect(problems).toEqual([]);
  return Object.fromEntries(
    results.map((result) => {
      if (result.status === 'skipped' || result.decision === undefined) throw new Error('nothing was decided');
      return [`${result.id} ${result.environment}`, result.decision.action];
    }),
  );
}

const PHONE = '"Call {{PHONE:+1 415 555 0100}}"';
const expected = 'expect: { action: allow, rules: [] }';

describe('Detector results of a policy test', () => {
  it.each(['stub', 'live'])('differ between environments that configure a detector differently (%s)', async (mode) => {
    expect(await actionsOf(`- { id: t, detectors: ${mode}, text: ${PHONE}, ${expected} }`)).toEqual({
      't production': 'block',
      't staging': 'block',
      't development': 'allow',
    });
  });

  it('come from real detectors in a selected environment, even if an earlier environment is not selected', async () => {
    const tests = `- { id: t, detectors: live, text: "Call +1 415 555 0100", ${expected} }`;
    const only = ({ environment }: TestIdentity): boolean => environment === 'staging';
    expect(await actionsOf(tests, { only })).toEqual({ 't staging': 'block' });
  });

  it('are computed once for all environments with the same plugin settings', async () => {
    const reads: string[] = [];
    await actionsOf(`- { id: a, text: one, ${expected} }\n- { id: b, text: two, ${expected} }`, {
      plugins: noting(reads),
    });
    expect(reads).toEqual(['one', 'one', 'two', 'two']);
  });
});
