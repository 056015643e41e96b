import { parseJson } from '../json/json-document.js';
import { decodeRequest } from '../providers/decode-call.js';
import { isNameLike, memberPath } from './json-path.js';

describe('The path of a member', () => {
  it.each([
    'model',
    'max_tokens',
    'tool_calls_5',
    '__typename',
    'base64',
    'x509_v3',
    'user.name',
    'content-type',
    'p50_p90',
    'TO_DO',
    'maxConcurrentRequests',
    'x-goog-authentication-provider',
  ])('contains a key that is a name: %s', (key) => {
    expect(memberPath('metadata', key, 2)).toBe(`metadata.${key}`);
  });

  it.each([
    ...['123.456.789-09', '85.07.30-033.28', '12.345.678-5', '192.168.1.10', '06.12.34.56.78', 'cpf--529.982.247-25'],
    ...['AB-12-34-56-C', 'id-1-2', 'a123_b123_c123', '007', '', '-', 'a@b.example'],
  ])('contains the position of a key that can be a number or an address: %j', (key) => {
    expect([isNameLike(key), memberPath('metadata', key, 2)]).toEqual([false, 'metadata{2}']);
  });
});

/** Credentials that consist of letters. */
const LETTERS = 'QWERTZXCVBNMPLKJ';
const CREDENTIALS = [
  `AKIA${LETTERS}`,
  `key_AKIA${LETTERS}`,
  `LTAI${LETTERS}`,
  ['glpat', `Qw${LETTERS}xY`].join('-'),
  ['sk', 'live', `qWeRtZ${LETTERS}yX`].join('_'),
];

describe('A key that can be a credential', () => {
  it.each(CREDENTIALS)('is replaced by its position: %s', (key) => {
    expect([isNameLike(key), memberPath('metadata', key, 2)]).toEqual([false, 'metadata{2}']);
  });

  it.each(CREDENTIALS)('is judged even if its value is a switch: %s', (key) => {
    const body = {
      model: 'm',
      messages: [{ role: 'user', content: 'hi', [key]: true }],
      tools: [{ type: 'function', function: { name: 'f', [key]: true } }],
    };
    const { segments } = decodeRequest('openai.chat', parseJson(JSON.stringify(body)));
    expect(segments.map(({ text }) => text)).toEqual(['hi', key, 'f', key]);
    expect(segments.map(({ path }) => path).join()).not.toContain(LETTERS);
  });
});

describe('A member with a number as its key', () => {
  it('is judged even if its value is a number or a switch', () => {
    const key = 'cpf--529.982.247-25';
    const messages = [{ role: 'user', content: 'hi', [key]: 1 }];
    const { segments } = decodeRequest('openai.chat', parseJson(JSON.stringify({ model: 'm', messages })));
    expect(segments.map(({ text }) => text)).toEqual(['hi', key]);
    expect(segments.map(({ path }) => path).join()).not.toContain('529');
  });
});
