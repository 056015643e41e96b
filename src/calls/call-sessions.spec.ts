import { toolUse } from '../../plugins/tool-use/tool-use.js';
import { compilePolicy, type DecodedCall } from '../core/index.js';
import { CallSessions, type CallInSession } from './call-sessions.js';

const plugins = { detectors: [], structures: [toolUse], ledgers: [] };
const text = `
apiVersion: weir/v1
kind: Policy
metadata: { id: production, title: Test policy, owner: security@example.com }
environment: production
default: allow
rules:
  - id: flow.no-mail-after-web
    title: No mail after a page from the web
    stage: tool
    severity: high
    when: { all: [{ flow: { from: { tool_result: { name: fetch_page } }, to: { tool_call: { name: send_mail } } } }] }
    then: { action: block }
    on_unknown: match
`;

function chain(sessionOfAnswer: () => Promise<string | undefined>) {
  const { policy } = compilePolicy({
    environment: 'production',
    files: [{ path: 'production/policy.yaml', text }],
    plugins,
  });
  const sessions = new CallSessions(
    { read: () => Promise.reject(new Error('no session is read')), sessionOfAnswer },
    { nowMs: () => 0 },
  );
  const call = { caller: {}, policy: { policy } } as CallInSession;
  return sessions.chained(call, {} as DecodedCall, 'resp_1', true);
}

describe('the session of a call that continues from an answer', () => {
  it('is the session of the answer, even if the call arrives before that answer is stored', async () => {
    const answers = [undefined, undefined, 'session-1'];
    expect(await chain(() => Promise.resolve(answers.shift()))).toEqual({ sessionId: 'session-1' });
  });

  it('is missing if the answer stays unknown', async () => {
    expect(await chain(() => Promise.resolve(undefined))).toEqual({ missing: 'previous_response_id' });
  });
});
