import { pastedIds } from './pasted.ts';

describe('A text that is pasted into the palette', () => {
  it.each([
    ['01a2010e-e313-7000-8000-000000000001', 'event'],
    ['order-4711', 'event'],
    ['sk_live_wr1_yTEzQ2mXw8Ab…', 'key'],
    ['yTEzQ2mXw8Ab', 'key'],
    ['75ada843', 'digest'],
    ['secrets.block-live-credential', 'rule'],
  ])('%s is first of all the id of: %s', (text, kind) => {
    expect(pastedIds(text)[0]?.kind).toBe(kind);
  });

  it('names a key by its public part', () => {
    expect(pastedIds('sk_test_wr1_yTEzQ2mXw8Ab…')[0]).toEqual({ kind: 'key', id: 'yTEzQ2mXw8Ab' });
  });

  it('is no id if it is a word or a sentence', () => {
    for (const word of ['overview', 'subscription']) expect(pastedIds(word)).toEqual([]);
    expect(pastedIds('calls of 12 apps')).toEqual([]);
  });
});
