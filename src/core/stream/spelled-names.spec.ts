import { JsonSyntaxError } from '../json/json-parser.js';
import { decodeAnswer } from '../providers/index.js';
import { parseJson } from '../json/json-document.js';
import { guardedPolicy, masks } from './testdata/guarded-policy.js';
import { guard, whole } from './testdata/guarding.js';
import { chunk, frame } from './testdata/provider-streams.js';

const MASKING = guardedPolicy(masks('mask.all', ['TICKET'], '{ marks.types: { any_of: [TICKET] } }'));

const response = (more: object): string =>
  frame({ type: 'response.output_text.delta', item_id: 'm', output_index: 0, content_index: 0, ...more });
const BLOCK = 'content_block_delta';
const block = (more: object): string => frame({ type: BLOCK, index: 0, ...more });
const said = (content: string): string => chunk([{ index: 0, delta: { content } }]);

describe('an event with a documented name in other letters', () => {
  it.each([
    ['choices', [said('TK-'), frame({ Choices: [{ index: 0, delta: { content: '123 ' } }] })]],
    ['only choices', [frame({ CHOICES: [{ index: 0, delta: { content: 'TK-' } }] })]],
    ['a letter that Go takes for an s', [said('TK-'), frame({ 'choice\u017f': [{ delta: { content: '123 ' } }] })]],
    ['a delta', [said('TK-'), chunk([{ index: 0, Delta: { content: '123 ' } }])]],
    ['a message', [said('TK-'), chunk([{ index: 0, Message: { content: 'TK-123 ' } }])]],
    ['an index', [said('TK-'), chunk([{ Index: 1, delta: { content: 'x' } }])]],
    ['a part', [said('TK-'), chunk([{ index: 0, delta: { content: [{ type: 'text', Text: '123 ' }] } }])]],
    ['the delta of a block', [block({ delta: { text: 'TK-' } }), block({ Delta: { text: '123 ' } })]],
    ['the type of an event', [block({ delta: { text: 'TK-' } }), frame({ Type: BLOCK, delta: { text: '123 ' } })]],
    ['the delta of a response', [response({ delta: 'TK-' }), response({ DELTA: '123 ' })]],
    ['candidates', [frame({ Candidates: [{ content: { parts: [{ text: 'TK-' }] } }] })]],
  ])('is not forwarded, because clients in Go would join its text: %s', async (_what, events) => {
    await expect(guard(MASKING, 'generic', events)).rejects.toThrow(JsonSyntaxError);
    await expect(whole(MASKING, 'generic', events.join(''))).rejects.toThrow(JsonSyntaxError);
  });

  it('is forwarded if its vendor documents names in these letters, and its text is judged', async () => {
    const events = [
      frame({ Type: 'say', Index: 0, Content: 'Order TK-' }),
      frame({ Type: 'say', Index: 0, Content: '123 is here.' }),
    ];
    const { text } = await guard(MASKING, 'generic', events);
    expect(text).toContain('[TICKET]');
    expect(text).not.toMatch(/TK-|123/);
  });

  it('is forwarded if the name is one of the data in arguments and metadata', async () => {
    const content_block = { type: 'tool_use', id: 't', name: 'send', input: { Content: 'x', Index: 1 } };
    const events = [
      frame({ type: 'content_block_start', index: 0, content_block }),
      frame({ type: 'content_block_stop', index: 0 }),
    ];
    expect((await guard(MASKING, 'anthropic.messages', events)).text).toBe(events.join(''));
  });
});

describe('an answer with documented names in other letters', () => {
  it('is judged in full: its texts, and the tokens of its log probabilities', () => {
    const tokens = ['TK-', '12', '3'].map((Token) => ({ Token, Logprob: -0.1 }));
    const body = {
      Choices: [{ Index: 0, Message: { Role: 'assistant', Content: 'a TK-456' }, Logprobs: { Content: tokens } }],
    };
    const texts = decodeAnswer('openai.chat', parseJson(JSON.stringify(body))).segments.map(({ text }) => text);
    expect(texts).toEqual(expect.arrayContaining(['a TK-456', 'TK-123']));
  });
});
