import { parseJson } from '../json/json-document.js';
import { atOnce } from '../steps/steps.js';
import { findingTokenIds } from './token-ids.js';

const fieldIn = (body: string): string | undefined => atOnce(findingTokenIds(parseJson(body)));

describe('findingTokenIds', () => {
  it.each([
    ['{"input":[1,2]}', 'input'],
    ['{"input":[[1],[2]]}', 'input'],
    ['{"prompt":["words",[123456789]]}', 'prompt'],
    ['{"input":[1],"input":"words"}', 'input'],
  ])('finds token ids in %s', (body, field) => {
    expect(fieldIn(body)).toBe(field);
  });

  it.each(['Input', 'PROMPT', 'context', 'input_ids', 'prompt_token_ids', 'token_ids', 'content', 'to\u212aen\u017f'])(
    'finds token ids in a field of another server, in any spelling that it accepts: %s',
    (field) => {
      expect(fieldIn(JSON.stringify({ model: 'm', [field]: [9906, 1917] }))).toBe(field);
    },
  );

  it.each([
    ['a line of a file for a batch', [{ custom_id: 'a', body: { input: 'words' } }, { custom_id: 'b', body: { input: [9906] } }], '[1].body.input'], // prettier-ignore
    [
      'a part of an upload',
      ['batch', { custom_id: 'a', url: '/v1/embeddings', body: { input: [9906] } }],
      '[1].body.input',
    ],
    ['a line of a file of Gemini', [{ key: 'a', request: { prompt: [1] } }], '[0].request.prompt'],
    ['an item of a batch', { requests: [{ custom_id: 'a', params: { prompt: [1] } }] }, 'requests[0].params.prompt'],
  ])('finds token ids in %s', (_where, body, path) => {
    expect(fieldIn(JSON.stringify(body))).toBe(path);
  });

  it.each([
    ...['{"input":"1"}', '{"input":["1"]}', '{"prompt":[]}', '{"input":[{"role":"user"}]}', '{"n":[1]}', '[1]'],
    ...['{"metadata":{"input":[1]}}', '{"messages":[{"role":"user","content":[{"type":"text","text":"1"}]}]}'],
    '{"embedding":[0.1,0.2]}',
  ])('finds none in %s', (body) => {
    expect(fieldIn(body)).toBeUndefined();
  });
});
