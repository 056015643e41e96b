import type { AdmittedCall, CallRecord } from '../calls/index.js';
import { AnswerHeaders } from './answer-headers.js';

const nothing = () => Promise.reject(new Error('nothing is judged'));
const headers = () => new AnswerHeaders({ maskTexts: nothing, judge: nothing }, { open: nothing });

describe('The texts in the headers of an answer', () => {
  const textsOf = (given: Parameters<AnswerHeaders['textsOf']>[0]) =>
    headers()
      .textsOf(given)
      .map(({ name, text }) => [name, text.text]);

  it('are those that the client receives and that are not plain', () => {
    expect(
      textsOf({
        'content-type': 'application/json',
        'x-request-id': 'req_1f0c7d9e2b3a4c5d6e7f8091a2b3c4d5',
        'x-note': 'two words',
        'set-cookie': ['two words'],
        nel: 'two words',
        connection: 'close, x-hop',
        'x-hop': 'two words',
      }),
    ).toEqual([['x-note', 'two words']]);
  });

  it('include each line of a repeated header', () => {
    expect(textsOf({ 'x-note': ['one note', 'plain', 'another note'] })).toEqual([
      ['x-note', 'one note'],
      ['x-note', 'plain'],
      ['x-note', 'another note'],
    ]);
  });

  it('are found again in the next answer, whatever came before under the same name', () => {
    const known = headers();
    const values = ['plain', 'two words', 'plain', 'two words'];
    expect(values.map((value) => known.textsOf({ 'x-note': value }).length)).toEqual([0, 1, 0, 1]);
  });
});

describe('The findings in the headers of an answer', () => {
  const texts = headers().textsOf({ 'x-one': 'two words', 'x-other': 'more words' });
  const call = {
    caller: { accountId: 'a', appId: 'app' },
    target: { provider: { id: 'openai' } },
    annotations: {},
    policy: { policy: { monitor: true }, detectors: [] },
  } as unknown as AdmittedCall;
  const record = { call } as CallRecord;

  it('are undefined if there are none', async () => {
    const none = new AnswerHeaders({ maskTexts: () => Promise.resolve([]), judge: nothing }, { open: nothing });
    expect(await none.foundIn({ record }, texts)).toBeUndefined();
  });

  it('remove nothing where no rule can change an answer, and are reported with the answer', async () => {
    const mask = { segment: 1, start: 0, end: 4, replacement: '[X]', code: 'X' };
    const some = new AnswerHeaders({ maskTexts: () => Promise.resolve([mask]), judge: nothing }, { open: nothing });
    const found = await some.foundIn({ record }, texts);
    expect(found).toEqual({ texts: [texts[1]], removed: new Set(), areRefused: false });
  });
});
