import { parseJson } from '../json/json-document.js';
import { documentEdits, mergeEdits } from '../json/splice.js';
import { decodeAnswer } from '../providers/decode-call.js';
import { applyEdits } from '../text/edit.js';
import { logprobEdits } from './logprobs.js';

type Bytes = readonly unknown[] | string | null;
const bytes = (text: string): number[] => [...Buffer.from(text)];
const token = (text: string, own: Bytes = bytes(text)): object => ({ token: text, logprob: -0.1, bytes: own });
const answer = (content: string, tokens: readonly object[]): object => ({
  choices: [{ index: 0, message: { role: 'assistant', content }, logprobs: { content: tokens } }],
});
const textsOf = (body: object): string[] =>
  decodeAnswer('openai.chat', parseJson(JSON.stringify(body))).segments.map(({ text }) => text);

const PLAIN = textsOf(answer('It is', [token('It'), token(' is')]));

describe('the bytes of tokens', () => {
  it('are not judged again if they are the tokens or the text', () => {
    const inParts = [token('It'), token(' \\xc3', [0x20, 0xc3]), token('\\xa9', [0xa9])];
    expect(textsOf(answer('It é', inParts)).filter((text) => text === 'It é')).toHaveLength(1);
    expect(PLAIN.filter((text) => text.includes('It'))).toEqual(['It is']);
    expect(textsOf(answer('It is', [token('It', null), token(' is', [])]))).toContain('It is');
  });

  it.each<[string, Bytes, Bytes]>([
    ['numbers', bytes('TK-'), bytes('123')],
    ['numbers over 255, as JavaScript reads them', bytes('TK-').map((byte) => byte + 256), bytes('123')],
    ['numbers below 0, as Java writes them', bytes('TK-'), bytes('123').map((byte) => byte - 256)],
    ['digits', bytes('TK-').map(String), bytes('123')],
    ['a string', 'TK-', '123'],
  ])('are judged as one text if they are another text: %s', (_what, first, second) => {
    expect(textsOf(answer('It is', [token('It', first), token(' is', second)]))).toContain('TK-123');
  });

  it('of a token without bytes are those of its text', () => {
    expect(textsOf(answer('It is', [token('TK-', null), token(' is', bytes('123'))]))).toContain('TK-123');
  });

  it('are judged if the tokens have no texts', () => {
    const tokens = ['TK-', '123'].map((text) => ({ logprob: -0.1, bytes: bytes(text) }));
    expect(textsOf(answer('It is', tokens))).toContain('TK-123');
  });

  it('are judged if a long token that the model did not choose has others', () => {
    const long = 'the ticket is TK-123';
    const body = answer('It', [{ ...token('It'), top_logprobs: [token('no', bytes(long))] }]);
    expect(textsOf(body)).toContain(long);
  });

  it('are removed by an edit of their text', () => {
    const doc = parseJson(JSON.stringify(answer('It is', [token('It', bytes('TK-')), token(' is', bytes('123'))])));
    const { segments } = decodeAnswer('openai.chat', doc);
    const segment = segments.findIndex(({ text }) => text === 'TK-123');
    const edits = documentEdits(doc, segments, [{ segment, start: 0, end: 6, replacement: 'M' }]);
    const left = applyEdits(doc.text, mergeEdits([...edits, ...logprobEdits(doc)]));
    expect(JSON.parse(left)).toMatchObject({ choices: [{ message: { content: 'It is' }, logprobs: null }] });
  });
});

describe('other strings of tokens', () => {
  it('are judged, each name as one text', () => {
    const tokens = ['TK-', '123'].map((Token) => ({ token: 'x', Token, logprob: -0.1 }));
    expect(textsOf(answer('xx', tokens))).toContain('TK-123');
  });
});

describe('log probabilities in a tool call', () => {
  const named = ['TK-', '12', '3'].map((text) => token(text));
  it.each([
    ['in the call', { id: 'c', function: { name: 'send', arguments: '{}' }, logprobs: { content: named } }],
    ['in its function', { id: 'c', function: { name: 'send', arguments: '{}', logprobs: named } }],
  ])('are judged as one text: %s', (_where, call) => {
    expect(textsOf({ choices: [{ message: { role: 'assistant', tool_calls: [call] } }] })).toContain('TK-123');
  });

  it('are judged in an object of an unknown format', () => {
    expect(textsOf({ reply: { said: 'It is', LogProbs: { content: named } } })).toContain('TK-123');
  });
});
