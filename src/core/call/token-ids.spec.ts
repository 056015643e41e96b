import { parseJson } from '../json/json-document.js';
import { tokenIdField } from './token-ids.js';

describe('tokenIdField', () => {
  it.each([
    ['{"input":[1,2]}', 'input'],
    ['{"input":[[1],[2]]}', 'input'],
    ['{"prompt":["words",[123456789]]}', 'prompt'],
    ['{"input":[1],"input":"words"}', 'input'],
  ])('finds token ids in %s', (body, field) => {
    expect(tokenIdField(parseJson(body))).toBe(field);
  });

  it.each(['{"input":"1"}', '{"input":["1"]}', '{"prompt":[]}', '{"input":[{"role":"user"}]}', '{"n":[1]}', '[1]'])(
    'finds none in %s',
    (body) => {
      expect(tokenIdField(parseJson(body))).toBeUndefined();
    },
  );
});
