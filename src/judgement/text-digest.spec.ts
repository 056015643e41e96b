import { textDigest } from './text-digest.js';

describe('the digest of a text', () => {
  it('is equal only for equal texts, even with halves of characters', () => {
    const texts = ['', 'a', 'A', '\ufffd', '\ud800', '\ud801', '\udc00', '\ud800\udc00', '\ud800 \udc00'];
    expect(new Set(texts.map(textDigest)).size).toBe(texts.length);
    expect(textDigest('\ud800a')).toBe(textDigest('\ud800a'));
  });
});
