import { documentEdits, mergeEdits, splice } from '../json/splice.js';
import { parseJson } from '../json/json-document.js';
import type { Dialect } from '../model/call.js';
import { decodeAnswer, decodeRequest } from '../providers/decode-call.js';
import { applyEdits } from '../text/edit.js';
import { logprobEdits } from './logprobs.js';

const listed = (...texts: string[]): object[] =>
  texts.map((token) => ({ token, logprob: -0.1, bytes: [...Buffer.from(token)], top_logprobs: [] }));

const LONG = 'a secret of many words';
const ALTERNATIVES = listed('short', LONG);

type Answer = (text: string, tokens: readonly string[]) => object;
const chat: Answer = (content, tokens) => ({
  choices: [{ index: 0, message: { role: 'assistant', content }, logprobs: { content: listed(...tokens) } }],
});
/** An answer with a text and the tokens of its log probabilities, and the path of these. */
const ANSWERS: Readonly<Record<string, readonly [Dialect, string, Answer]>> = {
  'chat completions': ['openai.chat', 'choices[0].logprobs.content', chat],
  'refusals of chat completions': [
    'openai.chat',
    'choices[0].logprobs.refusal',
    (refusal, tokens) => ({
      choices: [{ message: { role: 'assistant', refusal }, logprobs: { content: null, refusal: listed(...tokens) } }],
    }),
  ],
  completions: [
    'openai.completions',
    'choices[0].logprobs.tokens',
    (text, tokens) => ({ choices: [{ text, logprobs: { tokens, token_logprobs: tokens.map(() => -0.1) } }] }),
  ],
  responses: [
    'openai.responses',
    'output[0].content[0].logprobs',
    (text, tokens) => ({
      output: [
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text, logprobs: listed(...tokens) }] },
      ],
    }),
  ],
  Gemini: [
    'gemini.generate',
    'candidates[0].logprobsResult.chosenCandidates',
    (text, tokens) => ({
      candidates: [
        { content: { role: 'model', parts: [{ text }] }, logprobsResult: { chosenCandidates: listed(...tokens) } },
      ],
    }),
  ],
  'a route of another vendor': [
    'generic',
    'logprobs',
    (text, tokens) => ({
      message: { role: 'assistant', content: [{ type: 'text', text }] },
      logprobs: tokens.map((token) => ({ token_ids: [1], text: token, logprobs: [-0.1] })),
    }),
  ],
};

describe.each(Object.entries(ANSWERS))('the tokens of %s', (_name, [dialect, path, answer]) => {
  const textsOf = (body: object): string[] =>
    decodeAnswer(dialect, parseJson(JSON.stringify(body))).segments.map(({ text }) => text);

  it('are not judged again if they repeat a text of the answer', () => {
    for (const tokens of [['It is ', 'fine'], ['It', ' is'], [' fine'], [], ['']])
      expect(textsOf(answer('It is fine', tokens))).toEqual(textsOf(answer('It is fine', ['It is fine'])));
    expect(textsOf(answer('It is fine', ['It is fine']))).toContain('It is fine');
  });

  it('are judged as one text if the answer does not contain it', () => {
    const doc = parseJson(JSON.stringify(answer('It is fine', ['TK-', '12', '3 fits'])));
    const { segments } = decodeAnswer(dialect, doc);
    expect(segments.filter(({ text }) => text === 'TK-123 fits')).toMatchObject([{ path, role: 'assistant' }]);
  });

  it('are removed by an edit of this text', () => {
    const doc = parseJson(JSON.stringify(answer('It is fine', ['TK-', '12', '3'])));
    const { segments } = decodeAnswer(dialect, doc);
    const segment = segments.findIndex(({ text }) => text === 'TK-123');
    const edits = [{ segment, start: 0, end: 6, replacement: 'M' }];
    for (const left of [
      splice(doc, segments, edits),
      applyEdits(doc.text, mergeEdits([...documentEdits(doc, segments, edits), ...logprobEdits(doc)])),
    ]) {
      expect(JSON.stringify(JSON.parse(left))).not.toMatch(/TK-|"12"|"3"/);
      expect(left).toContain('It is fine');
    }
  });
});

describe('the tokens of log probabilities', () => {
  it('are compared with the texts of their own choice only', () => {
    const { choices } = chat('', ['one']) as { choices: object[] };
    const body = { choices: [...choices, ...(chat('one', ['one']) as { choices: object[] }).choices] };
    const { segments } = decodeAnswer('openai.chat', parseJson(JSON.stringify(body)));
    expect(segments.flatMap(({ path, text }) => (text === 'one' ? [path] : []))).toEqual([
      'choices[0].logprobs.content',
      'choices[1].message.content',
    ]);
  });

  it('are judged in each of two members with the same name', () => {
    const text = JSON.stringify(chat('fine', ['fine'])).replace(
      '"logprobs":',
      '"logprobs":{"content":[{"token":"se"},{"token":"cret"}]},"logprobs":',
    );
    expect(decodeAnswer('openai.chat', parseJson(text)).segments.map((each) => each.text)).toContain('secret');
  });

  it.each<[string, object]>([
    ['chat completions', { choices: [{ logprobs: { content: [{ token: 'a', top_logprobs: ALTERNATIVES }] } }] }],
    ['completions', { choices: [{ logprobs: { tokens: ['a'], top_logprobs: [null, { [LONG]: -1, short: -2 }] } }] }],
    [
      'Gemini',
      { candidates: [{ logprobsResult: { topCandidates: [{ candidates: ALTERNATIVES }], chosenCandidates: [] } }] },
    ],
  ])('that the model did not choose are judged if they are long: %s', (dialect, body) => {
    const doc = parseJson(JSON.stringify(body));
    const { segments } = decodeAnswer(dialect === 'Gemini' ? 'gemini.generate' : 'openai.chat', doc);
    const at = segments.findIndex(({ text }) => text === LONG);
    expect(segments.map(({ text }) => text)).not.toContain('short');
    const edits = documentEdits(doc, segments, [{ segment: at, start: 0, end: 4, replacement: 'M' }]);
    expect(applyEdits(doc.text, mergeEdits([...edits, ...logprobEdits(doc)]))).not.toMatch(/secret|short/);
  });

  it('are read one by one in a request', () => {
    const body = { messages: [{ role: 'assistant', content: 'fine', logprobs: { content: listed('se', 'cret') } }] };
    const texts = decodeRequest('openai.chat', parseJson(JSON.stringify(body))).segments.map(({ text }) => text);
    expect(texts).toContain('cret');
    expect(texts).not.toContain('secret');
  });
});
