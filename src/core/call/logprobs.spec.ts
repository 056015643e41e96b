import { parseJson } from '../json/json-document.js';
import { atOnce } from '../steps/steps.js';
import { applyEdits } from '../text/edit.js';
import { emptyingLogprobs, logprobEdits } from './logprobs.js';

const IDS = [9906, 1917, 0];
function emptied(json: string): unknown {
  const doc = parseJson(json);
  return JSON.parse(applyEdits(doc.text, logprobEdits(doc)));
}

describe('the token ids of an answer in which a text is masked', () => {
  it.each<[string, object, object]>([
    [
      'vLLM',
      { prompt_token_ids: IDS, choices: [{ index: 0, text: 'a', token_ids: IDS, prompt_token_ids: IDS }] },
      { prompt_token_ids: [], choices: [{ index: 0, text: 'a', token_ids: [], prompt_token_ids: [] }] },
    ],
    ['vLLM below LiteLLM', { message: { fields: { token_ids: IDS } } }, { message: { fields: { token_ids: [] } } }],
    ['SGLang', [{ text: 'a', output_ids: IDS }], [{ text: 'a', output_ids: [] }]],
    [
      'another server',
      { output_token_ids: IDS, completionTokenIds: IDS },
      { output_token_ids: [], completionTokenIds: [] },
    ],
    ['llama.cpp', { content: 'a', tokens: IDS }, { content: 'a', tokens: [] }],
    ['Ollama', { response: 'a', done: true, context: IDS }, { response: 'a', done: true, context: [] }],
    ['several answers in one list', { token_ids: [IDS, IDS] }, { token_ids: [] }],
    ['a client that ignores the case of names', { Context: IDS, toKens: IDS }, { Context: [], toKens: [] }],
  ])('are emptied as %s returns them', (_server, body, expected) => {
    expect(emptied(JSON.stringify(body))).toEqual(expected);
  });

  it('are emptied if their name is written with escapes', () => {
    expect(emptied(String.raw`{"conte\u0078t": [9906]}`)).toEqual({ context: [] });
  });

  it.each<[string, object]>([
    ['embeddings', { data: [{ embedding: [0.1], index: 0 }], usage: { prompt_tokens: 3, total_tokens: 3 } }],
    ['token counts', { usage: { completion_tokens: 3, completion_tokens_details: { reasoning_tokens: 1 } } }],
    ['arguments of calls', { content: [{ type: 'tool_use', name: 'mint', input: { token_ids: IDS, tokens: IDS } }] }],
    ['arguments of calls of Gemini', { functionCall: { name: 'mint', args: { nested: { context: IDS } } } }],
    ['parameters', { tools: [{ parameters: { tokens: [1, 2] } }] }],
    ['settings', { stop_token_ids: [1, 2], user_ids: [1, 2] }],
    ['other lists', { context: ['a', 1], tokens: [0.5], token_ids: [], ids: [1] }],
    ['texts', { context: 'a', tokens: '1' }],
  ])('do not include %s', (_what, body) => {
    expect(emptied(JSON.stringify(body))).toEqual(body);
  });

  it('are kept in a request, of which they are a part of the prompt', () => {
    const doc = parseJson(JSON.stringify({ prompt: 'a', context: IDS, messages: [{ logprobs: { content: [] } }] }));
    const edits = atOnce(emptyingLogprobs(doc, 'request'));
    expect(JSON.parse(applyEdits(doc.text, edits))).toEqual({
      prompt: 'a',
      context: IDS,
      messages: [{ logprobs: null }],
    });
  });
});
