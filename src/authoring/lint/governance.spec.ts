import { CATALOG } from '../policy-test/testdata/catalog.js';
import { lintPolicies } from './lint.js';

const path = 'production/policy.yaml';
const RULE = '{ id: model.flag, stage: pre, when: { model.name: gpt-4o }, then: { action: flag } }';

/** The findings with one of these codes in a policy, with their lines. */
async function findings(
  codes: readonly string[],
  { environment = 'production' as 'production' | 'staging', setting = 'mode: enforce', rule = RULE },
): Promise<string[]> {
  const text = `apiVersion: weir/v1
kind: Policy
metadata: { id: example, owner: security@acme.example }
environment: ${environment}
default: allow
${setting}
rules:
  - ${rule}
`;
  const report = await lintPolicies({
    environments: [{ environment, files: [{ path, text }], entry: [path] }],
    plugins: CATALOG,
    nowMs: Date.parse('2026-11-21T09:00:00Z'),
  });
  return report.findings
    .filter(({ code, ignored }) => codes.includes(code) && ignored === undefined)
    .map(({ code, level, line }) => `${level} ${code} in line ${line}`);
}

describe('The monitor mode of callers', () => {
  const found = (setting: string, environment: 'production' | 'staging' = 'production') =>
    findings(['G313'], { setting, environment });

  it('is reported in production, where it lets every caller turn the rules off', async () => {
    expect(await found('client_monitor_mode: honor')).toEqual(['warning G313 in line 6']);
    expect(await found('client_monitor_mode: ignore')).toEqual([]);
    expect(await found('mode: enforce')).toEqual([]);
  });

  it('is not reported elsewhere, nor with a reason', async () => {
    expect(await found('client_monitor_mode: honor', 'staging')).toEqual([]);
    expect(await found('client_monitor_mode: honor # weir-ignore G313: only tests call it')).toEqual([]);
  });
});

describe('A rollout of 0 %', () => {
  const found = (more: string, setting?: string) =>
    findings(['G304', 'G307'], {
      rule: RULE.replace(/ }$/, `, ${more} }`),
      ...(setting !== undefined && { setting }),
    });

  it('needs a review date like monitor mode, because the rule is enforced for no key', async () => {
    expect(await found('rollout: { percent: 0, by: api_key }')).toEqual(['error G307 in line 8']);
    expect(await found('rollout: { percent: 0, by: api_key }, review_by: 2027-02-01')).toEqual([]);
    expect(await found('rollout: { percent: 0, by: api_key }, review_by: 2026-10-01')).toEqual([
      'error G304 in line 8',
    ]);
  });

  it('is not reported for a share of the keys, nor in a policy that is monitored as a whole', async () => {
    expect(await found('rollout: { percent: 10, by: api_key }')).toEqual([]);
    expect(await found('rollout: { percent: 0, by: api_key }', 'mode: monitor')).toEqual([]);
  });
});
