/** Rules about earlier tool calls, in the conversation format of each dialect and with normalised names. */
import { appWithUpstream } from '../support/app-with-upstream.js';
import { testPolicy } from '../support/test-app.js';

const RULES = `
  - id: flow.no-mail-after-secrets
    title: Nothing is sent once secrets were read
    stage: tool
    severity: high
    when: { flow: { from: { tool_call: { name: read_secrets } }, to: { tool_call: { name: { in: [send_mail] } } } } }
    then: { action: block, reason: tool_use_blocked }
    on_unknown: match
`;

const bedrock = (names: readonly string[], called: string) => ({
  answer: {
    output: { message: { role: 'assistant', content: [{ toolUse: { toolUseId: 'n', name: called, input: {} } }] } },
  },
  path: '/v1/model/m/converse',
  body: {
    messages: [
      { role: 'user', content: [{ text: 'do it' }] },
      ...names.flatMap((name, index) => [
        { role: 'assistant', content: [{ toolUse: { toolUseId: `t${index}`, name, input: {} } }] },
        { role: 'user', content: [{ toolResult: { toolUseId: `t${index}`, content: [{ text: 'done' }] } }] },
      ]),
    ],
  },
});
const gemini = (names: readonly string[], called: string) => ({
  answer: { candidates: [{ content: { role: 'model', parts: [{ functionCall: { name: called, args: {} } }] } }] },
  path: '/v1/models/m:generateContent',
  body: {
    contents: [
      { role: 'user', parts: [{ text: 'do it' }] },
      ...names.flatMap((name) => [
        { role: 'model', parts: [{ functionCall: { name, args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { name, response: { output: 'done' } } }] },
      ]),
    ],
  },
});
const chat = (names: readonly string[], called: string) => ({
  answer: {
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          tool_calls: [{ id: 'n', type: 'function', function: { name: called, arguments: '{}' } }],
        },
      },
    ],
  },
  path: '/v1/chat/completions',
  body: {
    model: 'm',
    messages: [
      { role: 'user', content: 'do it' },
      ...names.flatMap((name, index) => [
        { role: 'assistant', tool_calls: [{ id: `t${index}`, type: 'function', function: { name, arguments: '{}' } }] },
        { role: 'tool', tool_call_id: `t${index}`, content: 'done' },
      ]),
    ],
  },
});

describe.each(Object.entries({ bedrock, gemini, chat }))('a flow rule about earlier calls in %s', (_dialect, of) => {
  const { app, upstream } = appWithUpstream({
    policies: {
      'production/policy.yaml': testPolicy('production', 'content: redacted').replace('rules:\n', `rules:${RULES}`),
      'staging/policy.yaml': testPolicy('staging', 'content: redacted'),
      'development/policy.yaml': testPolicy('development', 'content: redacted'),
    },
  });

  /** @param names the tools of the earlier calls, and last the tool that the model calls now */
  async function statusOf(names: readonly string[]): Promise<number> {
    const { path, body, answer } = of(names.slice(0, -1), names.at(-1)!);
    upstream().answerJson(answer);
    const response = await fetch(`${app().url}/proxy/openai${path}`, {
      method: 'POST',
      headers: { 'x-service-key': app().bootstrap.keys.production, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await response.text();
    return response.status;
  }

  it.each([
    ['with the names of the rule', ['read_secrets', 'send_mail']],
    ['with names in another case', ['Read_Secrets', 'SEND_MAIL']],
    ['with names in full width and with invisible characters', ['ｒｅａｄ_secrets', 'send\u200b_mail']],
    ['with other calls between them', ['read_secrets', 'search', 'send_mail']],
  ])('matches calls %s', async (_how, names) => {
    expect(await statusOf(names)).toBe(400);
  });

  it('does not match calls in another order or with other names', async () => {
    expect(await statusOf(['send_mail', 'read_secrets'])).toBe(200);
    expect(await statusOf(['read-secrets', 'send_mail'])).toBe(200);
    expect(await statusOf(['send_mail'])).toBe(200);
  });
});
