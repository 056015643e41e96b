/** Rules about what happened earlier in a session, for tool calls that come alone. */
import { eachApp } from '../support/each-app.js';
import { restClient } from '../support/rest-client.js';
import { testPolicy } from '../support/test-app.js';

const RULES = `
  - id: flow.no-mail-after-web
    title: No e-mail once a page from the web was read
    stage: tool
    severity: high
    when: { flow: { from: { tool_result: { name: { in: [fetch_page] } } }, to: { tool_call: { name: { in: [send_mail] } } } } }
    then: { action: block, reason: tool_use_blocked }
    on_unknown: match
`;
const POLICIES = {
  'production/policy.yaml': `${testPolicy('production', 'client_monitor_mode: ignore\ncontent: redacted')}${RULES}`,
  'staging/policy.yaml': testPolicy('staging', 'client_monitor_mode: honor'),
  'development/policy.yaml': testPolicy('development', 'mode: monitor\nclient_monitor_mode: honor'),
};

const toolCall = (tool: string, session?: string, more: object = {}) => ({
  type: 'agent.tool_call',
  payload: { tool, arguments: {}, ...(session === undefined ? {} : { session_id: session }), ...more },
});

eachApp(
  'Rules about a session',
  (current) => {
    const { submit } = restClient(current);

    it('refuse a tool that they are about without a session, and say that the session is missing', async () => {
      const { status, json, headers } = await submit(toolCall('send_mail'));
      expect(status).toBe(422);
      expect(json.error).toMatchObject({
        type: 'invalid_request',
        decision: 'block',
        violations: [],
        details: [{ path: 'payload.session_id' }],
      });
      expect(headers.get('x-should-retry')).toBe('false');
      expect(headers.get('retry-after')).toBeNull();
    });

    it('let other tools run without a session', async () => {
      expect((await submit(toolCall('search'))).status).toBe(200);
    });
  },
  { policies: POLICIES },
);
