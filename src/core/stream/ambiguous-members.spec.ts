import { JsonSyntaxError } from '../json/json-parser.js';
import { assembleStream } from './assemble-stream.js';
import { guardedPolicy, masks } from './testdata/guarded-policy.js';
import { guard } from './testdata/guarding.js';

const MASKING = guardedPolicy(masks('mask.all', ['TICKET'], '{ marks.types: { any_of: [TICKET] } }'));
const event = (data: string): string => `data: ${data}\n\n`;

describe('an event with two texts under one name', () => {
  it.each([
    ['in a delta', '{"choices":[{"index":0,"delta":{"content":"x","content":"TK-123 "}}]}'],
    ['with the same value', '{"choices":[{"index":0,"delta":{"content":"TK-","content":"TK-"}}]}'],
    ['in two deltas', '{"choices":[{"index":0,"delta":{"content":"x"},"delta":{"content":"TK-123 "}}]}'],
    ['in two lists of choices', '{"choices":[{"delta":{"content":"x"}}],"choices":[{"delta":{"content":"TK-123 "}}]}'],
    ['one of which is empty', '{"choices":[{"index":0,"delta":{"content":"x","content":""}}]}'],
    ['one of which is null', '{"choices":[{"index":0,"delta":{"content":null,"content":"x"}}]}'],
    [
      'in a piece of a tool call',
      '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"x","arguments":"1"}}]}}]}',
    ],
    ['one index of two', '{"choices":[{"index":0,"index":1,"delta":{"content":"TK-123 "}}]}'],
    ['in an event of another vendor', '{"type":"text","answer":"x","answer":"TK-123 "}'],
  ])('is not forwarded, because clients would join different texts: %s', async (_where, data) => {
    await expect(guard(MASKING, 'openai.chat', [event(data)])).rejects.toThrow(JsonSyntaxError);
    expect(() => assembleStream('openai.chat', event(data))).toThrow(JsonSyntaxError);
  });

  it.each([
    [
      'which is empty in both cases',
      '{"choices":[{"index":0,"delta":{"content":"Well. ","refusal":"","refusal":""}}]}',
    ],
    ['which is one index', '{"choices":[{"index":0,"index":0,"delta":{"content":"Well. "}}]}'],
    ['which identifies something', '{"id":"a","choices":[{"index":0,"delta":{"content":"Well. "}}],"id":"a"}'],
  ])('is forwarded if it has one reading: a name %s', async (_what, data) => {
    expect((await guard(MASKING, 'openai.chat', [event(data)])).text).toBe(event(data));
  });
});
