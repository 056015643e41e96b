/** The message of a rule, which the client of a refused call receives. */
import { RawUpstream } from '../support/raw-upstream.js';
import { restClient } from '../support/rest-client.js';
import { startTestApp, testPolicy, type TestApp } from '../support/test-app.js';

const MESSAGE = 'Please ask the travel desk: this assistant books nothing.';
const RULES = `
  - id: travel.no-model
    title: No travel model
    stage: pre
    severity: medium
    message: '${MESSAGE}'
    when: { model.name: travel }
    then: { action: block }
    on_unknown: match
  - id: other.no-model
    title: No other model
    stage: pre
    severity: medium
    when: { model.name: other }
    then: { action: block }
    on_unknown: match
`;

describe('The message of a rule', () => {
  let app: TestApp;
  let upstream: RawUpstream;
  beforeAll(async () => {
    upstream = await RawUpstream.start();
    const policies = {
      'production/policy.yaml': `${testPolicy('production', 'client_monitor_mode: ignore\ncontent: redacted')}${RULES}`,
      'staging/policy.yaml': testPolicy('staging', 'client_monitor_mode: honor'),
      'development/policy.yaml': testPolicy('development', 'mode: monitor\nclient_monitor_mode: honor'),
    };
    app = await startTestApp({ policies, env: { WEIR_OPENAI_BASE_URL: upstream.url } });
  }, 60_000);
  afterAll(async () => {
    await app.close();
    await upstream.close();
  });

  it.each([
    ['is returned to the client of an event', 'travel', MESSAGE],
    ['is the title of a rule without a message', 'other', 'No other model'],
  ])('%s', async (_what, model, message) => {
    const payload = { messages: [{ role: 'user', content: 'hi' }] };
    const { status, json } = await restClient(() => app).submit({
      type: 'ai.request',
      request_id: model,
      model,
      payload,
    });
    expect(status).toBe(400);
    expect(json.error).toMatchObject({ message, violations: [{ message }] });
  });

  it('is returned to the client of the proxy, and the provider is not called', async () => {
    const response = await fetch(`${app.url}/proxy/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-service-key': app.bootstrap.keys.production, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'travel', messages: [{ role: 'user', content: 'hi' }] }),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { message: MESSAGE, code: 'content_policy_violation' } });
    expect(upstream.requests).toHaveLength(0);
  });
});
