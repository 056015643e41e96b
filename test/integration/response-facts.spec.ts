import { appWithUpstream } from '../support/app-with-upstream.js';
import { testPolicy } from '../support/test-app.js';

type Environment = 'development' | 'staging' | 'production';

/** A policy that flags calls of undeclared tools, and calls that follow a token word in the request. */
function policy(environment: Environment, content: string): string {
  const text = testPolicy(environment, `content: ${content}`);
  return `${text.slice(0, text.indexOf('rules:'))}rules:
  - { id: tool.unknown, stage: tool, when: { tool.known: false }, then: { action: flag } }
  - { id: tool.after-token, stage: tool, when: { words.types: { any_of: [TOKEN] } }, then: { action: flag } }
`;
}

describe('an ai.response over REST', () => {
  const { app, upstream } = appWithUpstream({
    policies: {
      'development/policy.yaml': policy('development', 'full'),
      'staging/policy.yaml': policy('staging', 'none'),
      'production/policy.yaml': policy('production', 'redacted'),
    },
  });

  const post = async (environment: Environment, body: object): Promise<{ violations?: { rule: string }[] }> => {
    const response = await fetch(`${app().url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app().bootstrap.keys[environment]}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    return (await response.json()) as { violations?: { rule: string }[] };
  };
  const request = (id: string, content: string) => ({
    type: 'ai.request',
    request_id: id,
    payload: {
      messages: [{ role: 'user', content }],
      tools: [{ type: 'function', function: { name: 'search', parameters: { type: 'object' } } }],
    },
  });
  const rulesFor = async (environment: Environment, id: string, tool: string): Promise<string[]> => {
    const output = [{ type: 'tool_use', id: 'toolu_1', name: tool, input: {} }];
    const { violations = [] } = await post(environment, { type: 'ai.response', request_id: id, payload: { output } });
    return violations.map(({ rule }) => rule).sort();
  };

  it.each(['development', 'production'] as const)(
    'is judged with the facts of its request, in %s',
    async (environment) => {
      await post(environment, request('plain', 'hello'));
      expect(await rulesFor(environment, 'plain', 'search')).toEqual([]);
      expect(await rulesFor(environment, 'plain', 'delete_all')).toEqual(['tool.unknown']);
    },
  );

  it('is judged with the findings of a request whose texts are masked or not stored', async () => {
    for (const environment of ['production', 'staging'] as const) {
      await post(environment, request('token', 'use token-5'));
      expect(await rulesFor(environment, 'token', 'delete_all')).toEqual(['tool.after-token']);
    }
    await post('development', request('token', 'use token-5'));
    expect(await rulesFor('development', 'token', 'delete_all')).toEqual(['tool.after-token', 'tool.unknown']);
  });

  it('is judged with the facts of a proxied request', async () => {
    upstream().answerJson({ choices: [] });
    await fetch(`${app().url}/proxy/openai/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'x-service-key': app().bootstrap.keys.production,
        'content-type': 'application/json',
        'x-request-id': 'proxied-1',
      },
      body: JSON.stringify({ model: 'm', ...request('', 'hello').payload }),
    });
    expect(await rulesFor('production', 'proxied-1', 'search')).toEqual([]);
    expect(await rulesFor('production', 'proxied-1', 'delete_all')).toEqual(['tool.unknown']);
  });

  it.each(['functionDeclarations', 'function_declarations'])(
    'is judged with the tools that a Gemini request declares under %s, in an event and through the proxy',
    async (declarations) => {
      const payload = {
        contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
        tools: [{ [declarations]: [{ name: 'search' }] }],
      };
      await post('production', { type: 'ai.request', request_id: `rest-${declarations}`, payload });
      upstream().answerJson({ candidates: [] });
      await fetch(`${app().url}/proxy/gemini/v1beta/models/m:generateContent`, {
        method: 'POST',
        headers: {
          'x-service-key': app().bootstrap.keys.production,
          'content-type': 'application/json',
          'x-request-id': `proxied-${declarations}`,
        },
        body: JSON.stringify(payload),
      });
      for (const surface of ['rest', 'proxied']) {
        const answer = (name: string) => ({
          candidates: [{ content: { parts: [{ functionCall: { name, args: {} } }] } }],
        });
        const rules = async (name: string) =>
          (
            await post('production', {
              ...{ type: 'ai.response', request_id: `${surface}-${declarations}` },
              payload: { output: answer(name) },
            })
          ).violations?.map(({ rule }) => rule);
        expect([surface, await rules('search'), await rules('delete_all')]).toEqual([surface, [], ['tool.unknown']]);
      }
    },
  );

  it('is judged without facts of a request if its environment has no such request', async () => {
    await post('development', request('elsewhere', 'use token-5'));
    expect(await rulesFor('production', 'elsewhere', 'delete_all')).toEqual([]);
    expect(await rulesFor('production', 'never', 'delete_all')).toEqual([]);
  });
});
