import { scopeOf } from '../budget/scope.js';
import { SILENT_LEDGER } from '../detection/ledger.js';
import { parseJson } from '../json/json-document.js';
import type { Dialect } from '../model/call.js';
import type { FactSet } from '../model/fact.js';
import { decodeRequest } from '../providers/index.js';
import { buildFacts, type CallContext } from './build-facts.js';
import { readFact } from './read-path.js';

const context: CallContext = {
  environment: 'production',
  declaredEnvironment: 'production',
  app: { id: 'a', name: 'app' },
  key: { id: 'k', name: 'key' },
};

function factsOf(dialect: Dialect, body: object): FactSet {
  const call = decodeRequest(dialect, parseJson(JSON.stringify(body)));
  return buildFacts({ context, call, outcomes: [], structures: [], ledger: SILENT_LEDGER });
}

function requestFacts(dialect: Dialect, body: object): unknown {
  return factsOf(dialect, body)['request'];
}

describe('metadata with a dot in a key', () => {
  const metadataOf = (metadata: CallContext['metadata'] & object) => {
    const call = decodeRequest('openai.chat', parseJson('{"messages":[]}'));
    const whole = { ...context, metadata };
    const facts = buildFacts({ context: whole, call, outcomes: [], structures: [], ledger: SILENT_LEDGER });
    return { fact: readFact(facts, 'metadata.user.id'), scope: scopeOf(['metadata.user.id'], whole)[0]?.value };
  };

  it.each<[string, CallContext['metadata'] & object, string | undefined]>([
    ['nested keys', { user: { id: 'u1' } }, 'u1'],
    ['one key', { 'user.id': 'u1' }, 'u1'],
    ['both, of which the one key counts', { user: { id: 'u2' }, 'user.id': 'u1' }, 'u1'],
    ['one key beside a text', { user: 'somebody', 'user.id': 'u1' }, 'u1'],
    ['neither', { user: 'somebody', id: 'u1' }, undefined],
  ])('is read by rules as by budgets: %s', (_what, metadata, value) => {
    expect(metadataOf(metadata)).toEqual({ fact: value, scope: value ?? null });
  });

  it('is a rule of metadata only: other facts are read by their path', () => {
    expect(readFact({ tool: { args: { 'to.name': 'a', to: { name: 'b' } } } }, 'tool.args.to.name')).toBe('b');
    expect(readFact({ model: { 'a.b': 'x' } }, 'model.a.b')).toBeUndefined();
  });
});

describe('the size of a request', () => {
  const picture = { type: 'image_url', image_url: { url: 'https://pictures.example/1.png' } };
  it.each<[string, Dialect, object, number]>([
    [
      'messages',
      'openai.chat',
      {
        messages: [
          { role: 'system', content: 'be kind' },
          { role: 'user', content: 'hi' },
        ],
      },
      2,
    ],
    ['messages without a word of text', 'openai.chat', { messages: [{ role: 'user', content: [picture] }] }, 1],
    ['a prompt', 'openai.completions', { prompt: 'hi' }, 1],
    [
      'items of a response',
      'openai.responses',
      {
        input: [
          { role: 'user', content: 'hi' },
          { role: 'user', content: 'ho' },
        ],
      },
      2,
    ],
    ['contents', 'gemini.generate', { contents: [{ role: 'user', parts: [{ text: 'a' }, { text: 'b' }] }] }, 1],
    [
      'messages beside a system prompt',
      'anthropic.messages',
      { system: 'be kind', messages: [{ role: 'user', content: 'hi' }] },
      1,
    ],
  ])('counts %s', (_what, dialect, body, messages) => {
    expect(requestFacts(dialect, body)).toMatchObject({ messages });
  });

  it('reports the length of the longest text of any role', () => {
    const lengthOf = (...contents: string[]): unknown =>
      factsOf('openai.chat', { messages: contents.map((content) => ({ role: 'user', content })) })['text'];
    expect(lengthOf('abc', 'x'.repeat(4_000), 'de')).toEqual({ length: 4_000 });
    expect(lengthOf()).toEqual({ length: 0 });
  });

  it('counts the characters of all texts of any role', () => {
    const size = (content: string): number =>
      (
        requestFacts('openai.chat', {
          messages: [
            { role: 'system', content: 'be kind' },
            { role: 'user', content },
          ],
        }) as { chars: number }
      ).chars;
    expect(size('abcde') - size('a')).toBe(4);
    expect(size('a')).toBeGreaterThanOrEqual('be kind'.length + 1);
  });
});
