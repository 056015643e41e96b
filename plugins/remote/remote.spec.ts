import {
  bindDetectors,
  RemoteAnswerError,
  type DetectorBinding,
  type Finding,
  type JsonValue,
  type RemoteText,
} from '../../src/core/index.js';
import { remote } from './remote.js';

const texts = (...all: readonly string[]): RemoteText[] => all.map((text) => ({ text, role: 'user' }));
const parse = (options: object) => remote.meta.options.parse({ service: 'svc', ...options });
const requests = (options: object, sent: readonly RemoteText[]) => remote.requests(sent, parse(options));
const read = (options: object, answer: JsonValue, ...sent: readonly string[]): readonly (readonly Finding[])[] =>
  remote.read(answer, texts(...sent), parse(options));

describe('remote: a Presidio analyzer', () => {
  const options = { format: 'presidio', entities: { PERSON: 'PERSON', EMAIL_ADDRESS: 'EMAIL' } };
  const person = (start: number, end: number, score = 0.85) => ({ entity_type: 'PERSON', start, end, score });

  it('gets one request per text, with the configured entities', () => {
    expect(requests(options, texts('I am Ann', ' ', 'Bob'))).toEqual([
      {
        path: '/analyze',
        body: { text: 'I am Ann', language: 'en', entities: ['PERSON', 'EMAIL_ADDRESS'] },
        texts: [0],
      },
      { path: '/analyze', body: { text: 'Bob', language: 'en', entities: ['PERSON', 'EMAIL_ADDRESS'] }, texts: [2] },
    ]);
  });

  it('gets lists of texts if it supports batches', () => {
    const sent = requests({ ...options, batch: 2, language: 'de', path: '/v2/analyze' }, texts('a', 'b', 'c'));
    expect(sent.map(({ path, body, texts: about }) => [path, (body as { text: JsonValue }).text, about])).toEqual([
      ['/v2/analyze', ['a', 'b'], [0, 1]],
      ['/v2/analyze', ['c'], [2]],
    ]);
    expect(read({ ...options, batch: 2 }, [[person(0, 1)], []], 'a', 'b')).toEqual([
      [{ code: 'PERSON', start: 0, end: 1, score: 0.85 }],
      [],
    ]);
  });

  it('returns offsets in Unicode characters, which are converted to UTF-16 units', () => {
    expect(read(options, [person(2, 5)], '😀 Ann')).toEqual([[{ code: 'PERSON', start: 3, end: 6, score: 0.85 }]]);
  });

  it('can name entities differently from the policy; entities that the policy does not name are omitted', () => {
    const answer = [
      { entity_type: 'EMAIL_ADDRESS', start: 0, end: 3, score: 1 },
      { ...person(0, 3), entity_type: 'DATE_TIME' },
    ];
    expect(read(options, answer, 'a@b')).toEqual([[{ code: 'EMAIL', start: 0, end: 3, score: 1 }]]);
  });

  it.each<[string, JsonValue]>([
    ['an error', { error: 'No language provided' }],
    ['a result without a place', [{ entity_type: 'PERSON', score: 1 }]],
    ['a result outside of the text', [person(0, 99)]],
    ['a score above one', [person(0, 1, 2)]],
    ['nothing', null],
  ])('causes an error if it answers %s', (_what, answer) => {
    expect(() => read(options, answer, 'Ann')).toThrow(RemoteAnswerError);
  });
});

describe('remote: the API of LLM Guard', () => {
  const options = { format: 'llm_guard', entities: { PromptInjection: 'INJECTION', Toxicity: 'TOXIC' } };

  it('gets one request per text', () => {
    expect(requests(options, texts('a', 'b'))).toEqual([
      { path: '/scan/prompt', body: { prompt: 'a' }, texts: [0] },
      { path: '/scan/prompt', body: { prompt: 'b' }, texts: [1] },
    ]);
  });

  it('returns risks, which become findings over the whole text', () => {
    const answer = { is_valid: false, scanners: { PromptInjection: 0.9, Toxicity: -1, Secrets: 1 } };
    expect(read(options, answer, 'hello')).toEqual([[{ code: 'INJECTION', start: 0, end: 5, score: 0.9 }]]);
  });

  it('causes an error if a configured scanner did not check the text', () => {
    expect(() => read(options, { is_valid: true, scanners: { Toxicity: 0 } }, 'a')).toThrow(RemoteAnswerError);
    expect(read(options, { is_valid: false, scanners: { Toxicity: 1 } }, 'a')).toMatchObject([[{ code: 'TOXIC' }]]);
  });
});

describe('remote: a webhook', () => {
  const options = { format: 'webhook', entities: ['NAME'] };

  it('receives the texts with their roles and keys', () => {
    const sent: RemoteText[] = [
      { text: 'Ann', role: 'user', key: 'name' },
      { text: '', role: 'user' },
      { text: 'b', role: 'system' },
    ];
    expect(requests(options, sent)).toEqual([
      {
        path: '/',
        body: {
          texts: [
            { index: 0, text: 'Ann', role: 'user', key: 'name' },
            { index: 1, text: 'b', role: 'system' },
          ],
        },
        texts: [0, 2],
      },
    ]);
  });

  it.each([
    ['utf16', 3, 4],
    ['code_points', 2, 3],
    ['utf8_bytes', 5, 6],
  ])('can return offsets in %s', (offsets, start, end) => {
    const answer = { findings: [{ index: 0, code: 'NAME', start, end }] };
    expect(read({ ...options, offsets }, answer, '😀 A')).toEqual([[{ code: 'NAME', start: 3, end: 4, score: 1 }]]);
  });

  it.each<[string, JsonValue]>([
    ['about a text that was not sent', { findings: [{ index: 1, code: 'NAME', start: 0, end: 1 }] }],
    ['inside of a character', { findings: [{ index: 0, code: 'NAME', start: 0, end: 1.5 }] }],
    ['in another shape', { findings: { NAME: 1 } }],
  ])('causes an error if it returns a finding %s', (_what, answer) => {
    expect(() => read(options, answer, 'A')).toThrow(RemoteAnswerError);
  });
});

describe('remote: options', () => {
  it.each([
    [{ format: 'webhook', entities: [] }, 'name at least one entity'],
    [{ format: 'webhook', entities: ['a-b'] }, 'a code consists of letters'],
    [{ format: 'webhook', entities: ['A'], path: 'http://x/' }, 'a path that begins with /'],
    [{ format: 'webhook', entities: ['A'], path: '/../admin' }, 'a path without ..'],
    [{ format: 'webhook', entities: ['A'], service: 'https://evil.example' }, 'expected the name of a service'],
    [{ format: 'webhook', entities: ['A'], url: 'x' }, 'Unrecognized key'],
  ])('are refused: %j', (options, why) => {
    const result = remote.meta.options.safeParse({ service: 'svc', ...options });
    expect(JSON.stringify(result.error?.issues)).toContain(why);
  });
});

describe('remote: a detector bound by a policy', () => {
  const binding: DetectorBinding = {
    key: 'names',
    plugin: 'remote',
    version: '1.0.0',
    revision: 1,
    options: parse({ format: 'webhook', entities: ['NAME', 'PLACE'] }),
    codes: ['NAME'],
    minScore: { NAME: 0.5 },
    timeoutMs: 100,
  };
  const [bound] = bindDetectors({ detectors: [binding] }, { detectors: [remote], structures: [], ledgers: [] });
  const finding = (code: string, start: number, score: number) => ({ index: 0, code, start, end: start + 1, score });

  it('reports findings with enabled codes and sufficient scores, in order', () => {
    const answer = {
      findings: [finding('NAME', 2, 0.9), finding('NAME', 0, 0.5), finding('NAME', 1, 0.4), finding('PLACE', 1, 1)],
    };
    expect(bound!.remote!.read(answer, texts('abc'))).toMatchObject([[{ start: 0 }, { start: 2 }]]);
  });

  it('refuses an empty range in an answer, and a scan without a host', () => {
    const answer = { findings: [{ index: 0, code: 'NAME', start: 1, end: 1 }] };
    expect(() => bound!.remote!.read(answer, texts('abc'))).toThrow(RemoteAnswerError);
    expect(() => bound!.scan('abc')).toThrow('can only be called by a host');
  });
});
