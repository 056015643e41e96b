import { SHIPPED_PLUGINS } from '../../src/plugin-registry/index.js';
import { restClient } from '../support/rest-client.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

/** Masks e-mail addresses, and refuses calls if a detector is unavailable. */
const policy = (environment: string): string => `
apiVersion: weir/v1
kind: Policy
metadata: { id: ${environment}, title: Test policy, owner: tests@example.com }
environment: ${environment}
default: allow
content: redacted
stages: { pre: { deadline_ms: 60000 }, post: { deadline_ms: 60000 }, tool: { deadline_ms: 60000 } }
detectors:
  pii: { plugin: pii@^1, timeout_ms: 60000 }
  tickets: { plugin: regex@^1, timeout_ms: 60000, patterns: { TICKET: [ { pattern: 'TCK-[0-9]{6}' } ] } }
rules:
  - id: pii.redact-mail
    title: Addresses are masked
    stage: pre
    severity: medium
    when: { all: [ { pii.types: { any_of: [EMAIL] } } ] }
    then: { action: redact, redact: { entities: [EMAIL], with: '[{type}_{n}]' } }
    on_unknown: match
  - id: tickets.block
    title: Tickets stay inside
    stage: pre
    severity: high
    when: { all: [ { tickets.types: { any_of: [TICKET] } } ] }
    then: { action: block, reason: content_policy_violation }
    on_unknown: match
`;
const policies = Object.fromEntries(
  ['development', 'staging', 'production'].map((environment) => [`${environment}/policy.yaml`, policy(environment)]),
);
const WORDS = 'a harmless sentence of a long document. ';
const request = (content: string, more: object = {}) => ({
  type: 'ai.request',
  request_id: 'r',
  ...more,
  payload: { messages: [{ role: 'user', content }] },
});

describe('Texts of megabytes', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({
      plugins: SHIPPED_PLUGINS,
      policies,
      env: { WEIR_EVENTS_BODY_LIMIT: '16MiB', WEIR_SCAN_THREAD_MEMORY: '128MiB' },
    });
  });
  afterAll(() => app.close());
  const { submit, stored } = restClient(() => app);

  it('are masked at every place, both in the forwarded and in the stored text', async () => {
    const text = `${WORDS.repeat(15_000)}ana.example@example.com ${WORDS.repeat(15_000)}bob@example.com`;
    const { status, json } = await submit(request(text, { event_id: 'long' }));
    expect([status, json.decision, json.redactions]).toEqual([200, 'redact', [{ type: 'EMAIL', count: 2 }]]);
    const { content } = json.payload.messages[0] as { content: string };
    expect(content).toBe(`${WORDS.repeat(15_000)}[EMAIL_1] ${WORDS.repeat(15_000)}[EMAIL_2]`);
    expect(JSON.stringify(await stored('long'))).not.toContain('@example.com');
  });

  it('are refused for the finding of a detector that needs the complete text', async () => {
    const { status, json } = await submit(request(`${WORDS.repeat(15_000)}TCK-123456`));
    expect([status, json.error.type]).toEqual([400, 'content_policy_violation']);
  });

  it('are refused as an outage and not stored if they exceed the memory of a thread, and the next text is judged', async () => {
    const { status, json } = await submit(request('\u3316'.repeat(1_000_000), { event_id: 'dense' }));
    expect([status, json.error.type]).toEqual([503, 'guardrail_unavailable']);
    expect(JSON.stringify(await stored('dense'))).not.toContain('\u3316');
    expect((await submit(request(WORDS.repeat(15_000)))).status).toBe(200);
  });
});
