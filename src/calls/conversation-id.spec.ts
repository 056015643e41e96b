import { parseJson } from '../core/index.js';
import { conversationIdOf, earlierAnswerOf } from './conversation-id.js';

const of = (path: string, body: object = {}, dialect = 'openai.chat') =>
  conversationIdOf({ dialect, path } as Parameters<typeof conversationIdOf>[0], parseJson(JSON.stringify(body)));

describe('the id of a conversation that the provider stores', () => {
  it.each([
    ['a thread of assistants', '/v1/threads/thread_a1/messages', {}, 'thread_a1'],
    ["a session of Bedrock's agents", '/agents/A1/agentAliases/TSTALIASID/sessions/s-17/text', {}, 's-17'],
    ["a session of Bedrock's agents in a query", '/agents/A1/agentAliases/B/sessions/s.1:2/text?x=1', {}, 's.1:2'],
    ["a session of Bedrock's answers from documents", '/retrieveAndGenerate', { sessionId: 's-18' }, 's-18'],
    [
      "a streamed session of Bedrock's answers from documents",
      '/retrieveAndGenerateStream',
      { sessionId: 's-18' },
      's-18',
    ],
  ])('is read from %s', (_, path, body, id) => {
    expect(of(path, body)).toBe(id);
  });

  it('is not read from a field of another API, or from a number', () => {
    expect(of('/v1/chat/completions', { sessionId: 's-18' })).toBeUndefined();
    expect(of('/retrieveAndGenerate', { sessionId: 7 })).toBeUndefined();
  });

  it('is read from the conversation field of a response, as a string or an object', () => {
    expect(of('/v1/responses', { conversation: 'conv_1' }, 'openai.responses')).toBe('conv_1');
    expect(of('/v1/responses', { conversation: { id: 'conv_1' } }, 'openai.responses')).toBe('conv_1');
  });
});

describe('the earlier answer that a request continues', () => {
  it.each([
    ['is the answer that the request names', '/v1/responses', 'resp_1', 'resp_1'],
    ['is the answer that the request fetches', '/v1/responses/resp_2?stream=true', undefined, 'resp_2'],
    ['is the answer whose items the request fetches', '/v1/responses/resp_2/input_items', undefined, 'resp_2'],
    ['is undefined for any other request', '/v1/responses', undefined, undefined],
  ])('%s', (_, path, previousAnswer, id) => {
    expect(earlierAnswerOf({ path }, previousAnswer === undefined ? {} : { previousAnswer })).toBe(id);
  });
});
