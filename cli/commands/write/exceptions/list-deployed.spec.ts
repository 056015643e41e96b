import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runWeir } from '../../../../test/support/run-weir.js';

const BUNDLE_FORMAT = 'weir/bundle/v1';

const policy = (environment: string, rest: string): string => `apiVersion: weir/v1
kind: Policy
metadata: { id: ${environment}, owner: security@example.com }
environment: ${environment}
default: allow
content: redacted
${rest}`;

const GOOD = `rules:
  - id: model.only-one
    title: Only one model
    stage: pre
    severity: low
    when: { all: [{ not: { model.name: gpt-4o } }] }
    then: { action: flag }
exceptions:
  - id: EX-7
    rules: [model.only-one]
    effect: monitor
    because: a trial
    approved_by: security@example.com
    ticket: SEC-1
    expires: 2100-01-01T00:00:00Z
`;
const BAD = 'detectors: { own: { plugin: not-in-this-weir@^1 } }\n';

/** A service on which one environment has a policy that this command cannot compile. */
describe('weir exceptions list --deployed', () => {
  let server: Server;
  let env: Record<string, string>;
  beforeAll(async () => {
    server = createServer((request, answer) => {
      answer.setHeader('content-type', 'application/json');
      answer.end(JSON.stringify(answerTo(request.url ?? '')));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    env = { WEIR_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, WEIR_TOKEN: 'token' };
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  function answerTo(url: string): object {
    if (url.startsWith('/v1/me')) return { environments: ['staging', 'production'] };
    if (url.endsWith('/exceptions')) return { data: [] };
    const environment = url.includes('staging') ? 'staging' : 'production';
    const text = policy(environment, environment === 'staging' ? BAD : GOOD);
    return bundleOf(environment, text);
  }

  it('lists the exceptions of all readable policies, and names a policy that cannot be read', async () => {
    const { exit, stdout, stderr } = await runWeir(['exceptions', 'list', '--deployed'], { env });
    expect(stdout).toContain('EX-7  production');
    expect(stderr).toContain('staging: the active policy could not be compiled');
    expect(stderr).toContain('exit 3: the active policy of staging cannot be read; other environments: 1 exception');
    expect(exit).toBe(3);
  });
});

function bundleOf(environment: string, text: string): object {
  return {
    ...{ format: BUNDLE_FORMAT, environment, policy: { id: environment, digest: '0'.repeat(64) } },
    ...{ files: [{ path: `${environment}/policy.yaml`, text }], tests: [], requires: [], signatures: [] },
    source: { commit: null, clean: false },
  };
}
