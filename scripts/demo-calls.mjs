/** Sends the demo's calls like an application: with the providers' own clients, and to `POST /v1/events`. */
import { ensurePackages, requireOfTests } from './packages-apart.mjs';

await ensurePackages('test');
const { Anthropic } = requireOfTests('@anthropic-ai/sdk');
const { OpenAI } = requireOfTests('openai');

/**
 * Sends one call made by `callNumber`.
 * @returns its outcome: "answered", "blocked", or the decision of an event
 */
export async function send({ base, bootstrap }, call, index) {
  const key = bootstrap.keys[call.environment];
  const headers = { 'x-service-key': key, 'x-service-metadata': JSON.stringify(call.metadata) };
  const messages = [{ role: 'user', content: call.text }];
  const openai = new OpenAI({ apiKey: 'demo', baseURL: `${base}/proxy/openai/v1`, defaultHeaders: headers });
  const anthropic = new Anthropic({ apiKey: 'demo', baseURL: `${base}/proxy/anthropic`, defaultHeaders: headers });
  try {
    switch (call.via) {
      case 'openai':
        await openai.chat.completions.create({ model: 'gpt-4o', messages });
        return 'answered';
      case 'openai-stream':
        for await (const _ of await openai.chat.completions.create({ model: 'gpt-4o', messages, stream: true }));
        return 'answered';
      case 'openai-tools':
        await openai.chat.completions.create({
          model: 'gpt-4o',
          messages,
          tools: [{ type: 'function', function: { name: 'run_shell', parameters: { type: 'object' } } }],
        });
        return 'answered';
      case 'anthropic':
        await anthropic.messages.create({ model: 'claude-sonnet-5-5', max_tokens: 200, messages });
        return 'answered';
      case 'anthropic-stream':
        await anthropic.messages.stream({ model: 'claude-sonnet-5-5', max_tokens: 200, messages }).finalMessage();
        return 'answered';
      case 'rest':
        return await post(base, key, {
          type: 'ai.request',
          request_id: `demo-${index}`,
          environment: call.environment,
          provider: 'openai',
          model: 'gpt-4o',
          metadata: call.metadata,
          payload: { messages },
        });
      default:
        return await post(base, key, {
          type: 'agent.tool_call',
          environment: call.environment,
          metadata: call.metadata,
          payload: { tool: call.tool, arguments: call.arguments },
        });
    }
  } catch (error) {
    if (error?.status === 400) return 'blocked';
    throw error;
  }
}

async function post(base, key, body) {
  const answer = await fetch(`${base}/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const json = await answer.json();
  if (answer.status === 400) return 'blocked';
  if (answer.status !== 200) throw new Error(`POST /v1/events answered ${answer.status}: ${json.error?.message}`);
  return json.decision ?? 'recorded';
}
