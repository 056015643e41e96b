import fc from 'fast-check';
import { decodeAnswer, decodeRequest } from '../../core/providers/decode-call.js';
import type { Stage } from '../../core/model/fact.js';
import { callOf } from './read-call.js';

function read(given: unknown, stage: Stage = 'pre') {
  const { dialect, document, call } = callOf(typeof given === 'string' ? given : JSON.stringify(given), stage);
  const decoded = call ?? (stage === 'post' ? decodeAnswer(dialect, document) : decodeRequest(dialect, document));
  const { segments, newToolCalls } = decoded;
  return {
    dialect,
    texts: segments.map(({ role, text }) => [role, text]),
    calls: newToolCalls.map(({ name }) => name),
  };
}

const parts = [{ text: 'hello' }];
const shell = { functionCall: { name: 'run_shell', args: { command: 'ls' } } };
const answer = { candidates: [{ content: { role: 'model', parts: [...parts, shell] }, index: 0 }] };

describe('Reading a body', () => {
  it.each([
    ['a chat', { messages: [{ role: 'user', content: 'hello' }] }, 'openai.chat', 'user'],
    ['one message of a chat', { role: 'user', content: 'hello' }, 'openai.chat', 'user'],
    ['messages of a chat', [{ role: 'system', content: 'hello' }], 'openai.chat', 'system'],
    ['a prompt', { model: 'm', prompt: 'hello' }, 'openai.completions', 'user'],
    ['a request of the Responses API', { input: 'hello', prompt: { id: 'pmpt_1' } }, 'openai.responses', 'user'],
    ['messages of Anthropic', { system: 'hello', messages: [] }, 'anthropic.messages', 'system'],
    [
      'messages of Anthropic at a cloud provider',
      { anthropic_version: 'v1', messages: [] },
      'anthropic.messages',
      undefined,
    ],
    ['contents of Gemini', { contents: [{ role: 'user', parts }] }, 'gemini.generate', 'user'],
    ['instructions of Gemini', { systemInstruction: { parts }, contents: [] }, 'gemini.generate', 'system'],
    ['a turn of Gemini', { role: 'model', parts }, 'gemini.generate', 'assistant'],
    ['turns of Gemini', [{ role: 'user', parts }], 'gemini.generate', 'user'],
    [
      'a request of Gemini for counting tokens',
      { generate_content_request: { contents: [{ parts }] } },
      'gemini.generate',
      'user',
    ],
    ['a content to embed', { content: { parts } }, 'gemini.embed', 'user'],
    ['contents to embed', { requests: [{ content: { parts } }] }, 'gemini.embed', 'user'],
    ['an unknown format', { thing: 'hello' }, 'generic', 'other'],
    ['a text', 'hello', 'openai.chat', 'user'],
  ])('recognises %s', (_, body, dialect, role) => {
    const { dialect: found, texts } = read(body);
    expect(found).toBe(dialect);
    if (role !== undefined) expect(texts).toContainEqual([role, 'hello']);
  });

  it.each([
    ['as a whole', answer],
    ['as the list of a stream', [answer, { candidates: [{ finishReason: 'STOP' }] }]],
  ])('reads an answer of Gemini with its tool calls, %s', (_, body) => {
    const { dialect, texts, calls } = read(body, 'post');
    expect([dialect, calls]).toEqual(['gemini.generate', ['run_shell']]);
    expect(texts).toContainEqual(['assistant', 'hello']);
  });

  it('reads every string, whatever format it recognises', () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 3 }), (body) => {
        const texts = read([...body, { note: 'find me' }]).texts.map(([, text]) => text);
        expect(texts.join(' ')).toContain('find me');
      }),
    );
  });
});
