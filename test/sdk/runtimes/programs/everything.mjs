/**
 * Uses every feature of the package once, only with web interfaces: the same file runs in Node.js, Bun, Deno and workerd.
 * It returns the results; the test contains the expectations.
 */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { isBlocked, tool, Weir, weir, weirFetch, weirOf, withWeirContext } from 'weir-sdk';

/** One connection of a runtime to Weir, with long timeouts for busy machines. */
export function connect({ weirUrl, weirKey, session }) {
  return new Weir({ baseUrl: weirUrl, apiKey: weirKey, session, deadlineMs: 60_000, flushTimeoutMs: 60_000 });
}

export async function everything({ providerUrl }, connection) {
  const openai = weir(new OpenAI({ apiKey: 'provider-key', baseURL: `${providerUrl}/v1`, maxRetries: 0 }), connection);
  const anthropic = weir(new Anthropic({ apiKey: 'k', baseURL: providerUrl, maxRetries: 0 }), connection);
  const ask = (content) => ({ model: 'gpt-4o', messages: [{ role: 'user', content }] });
  const thrown = (call) =>
    Promise.resolve(call).then(
      () => undefined,
      (error) => error,
    );

  const answer = await openai.chat.completions.create(ask('hello'));
  const masked = await openai.chat.completions.create(ask('hello to mail-4711'));
  const blocked = await thrown(openai.chat.completions.create(ask('my ssn-1')));
  let streamed = '';
  for await (const chunk of await openai.chat.completions.create({ ...ask('hello stream'), stream: true }))
    streamed += chunk.choices[0]?.delta?.content ?? '';
  const message = await anthropic.messages.create({ ...ask('hello'), model: 'claude-test', max_tokens: 9 });
  const request = new Request(`${providerUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ask('hello to mail-4712')),
  });
  const plain = await (await weirFetch(connection)(request)).json();
  const look = tool('get_weather', ({ city }) => `sunny in ${city}`, connection);
  const shell = tool('run_shell', () => 'ran', connection);
  const result = {
    answer: answer.choices[0].message.content,
    decision: weirOf(answer)?.decision,
    ofAnswer: await weirOf(answer)?.answered,
    masked: weirOf(masked)?.redactions,
    blocked: [
      blocked instanceof OpenAI.BadRequestError,
      blocked?.status,
      isBlocked(blocked),
      weirOf(blocked)?.violations?.map(({ rule }) => rule),
    ],
    streamed,
    message: message.content[0].text,
    plain: plain.choices[0].message.content,
    tool: await look({ city: 'Bern' }),
    toolBlocked: (await thrown(shell({ command: 'ls' })))?.code,
    context: await inContext(() => openai.chat.completions.create(ask('hello'))),
  };
  return { ...result, flushed: await connection.flush(), stats: connection.stats() };
}

async function inContext(call) {
  try {
    await withWeirContext({ metadata: { user: 'u-17' } }, call);
    return 'kept';
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
}
