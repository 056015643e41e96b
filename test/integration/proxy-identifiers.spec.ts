import { pii } from '../../plugins/pii/pii.js';
import { appWithUpstream } from '../support/app-with-upstream.js';

/** A random 64-bit id that has the length, the issuer range and the check digit of a payment card. */
const DECIMAL_ID = ['5804755', '971877', '604743'].join('');
const CARD = ['4111', '1111', '1111', '1111'].join('');
const BODY = '{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}';
const policy = (environment: string): string => `
apiVersion: weir/v1
kind: Policy
metadata: { id: ${environment}, title: Cards are masked, owner: tests@example.com }
environment: ${environment}
default: allow
stages: { pre: { deadline_ms: 60000 }, post: { deadline_ms: 60000 }, tool: { deadline_ms: 60000 } }
detectors:
  pii: { plugin: pii@^1, timeout_ms: 60000 }
rules:
  - id: pii.redact-payment
    title: Payment cards are masked
    stage: pre
    severity: high
    when: { all: [ { pii.types: { any_of: [CREDIT_CARD] } } ] }
    then: { action: redact, redact: { entities: [CREDIT_CARD], with: '[{type}_{n}]' } }
    on_unknown: match
`;

describe('the ids of machines in a call, under a rule about payment cards', () => {
  const { app, upstream } = appWithUpstream({
    policies: Object.fromEntries(
      ['development', 'staging', 'production'].map((name) => [`${name}/policy.yaml`, policy(name)]),
    ),
    plugins: { detectors: [pii], structures: [], ledgers: [] },
  });
  beforeAll(() => upstream().answerJson({ ok: true }));
  beforeEach(() => void (upstream().requests.length = 0));

  const call = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${app().url}/proxy/gemini${path}`, {
      method: 'POST',
      headers: { 'x-service-key': app().bootstrap.keys.production, 'content-type': 'application/json', ...headers },
      body: BODY,
    });
  const MODEL = '/v1beta/models/gemini-2.5-flash:generateContent';

  it.each(['x-datadog-trace-id', 'x-datadog-parent-id'])(
    'are accepted in the headers of tracing, which stay in the network of the client: %s',
    async (name) => {
      expect((await call(MODEL, { [name]: DECIMAL_ID })).status).toBe(200);
      expect(upstream().last.headers).not.toHaveProperty(name);
    },
  );

  it.each([
    `/v1/projects/p/locations/l/endpoints/${DECIMAL_ID}:generateContent`,
    `/v1/projects/501234567896/locations/l/endpoints/${DECIMAL_ID}:generateContent`,
    `/v1/projects/p/locations/l/models/${DECIMAL_ID}:predict`,
    `/v1/projects/p/locations/l/tuningJobs/${DECIMAL_ID}:cancel`,
    `/v1/projects/p/locations/l/batchPredictionJobs/${DECIMAL_ID}`,
    `/v1beta1/projects/p/locations/l/reasoningEngines/${DECIMAL_ID}/sessions/${DECIMAL_ID}:appendEvent`,
    `/v1/projects/p/locations/l/operations/${DECIMAL_ID}`,
  ])('are accepted as the ids of resources that the provider numbers: %s', async (path) => {
    expect((await call(path)).status).toBe(200);
    expect(upstream().last.url).toBe(path);
  });

  it.each<[string, string, Record<string, string>]>([
    ['a header', MODEL, { 'x-note': CARD }],
    ['a header of ids', MODEL, { 'x-customer-id': CARD }],
    ['the query', `${MODEL}?note=${CARD}`, {}],
    ['a part of the path', `/v1/customers/${CARD}/notes`, {}],
    ['the id of a session, which clients choose', `/agents/a/agentAliases/b/sessions/${CARD}/text`, {}],
    ['words in place of the id of a resource', `/v1/projects/p/endpoints/card%20${CARD}:predict`, {}],
  ])('do not hide the number of a card in %s, which refuses the call', async (_where, path, headers) => {
    expect((await call(path, headers)).status).toBe(400);
    expect(upstream().requests).toHaveLength(0);
  });
});
