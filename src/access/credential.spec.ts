import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { newCredential, parseCredential, PresentedCredential, type CredentialPrefix } from './credential.js';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefixes = fc.constantFrom<CredentialPrefix>('sk_live_', 'sk_test_', 'wt_live_');

/** The checksum, computed independently from the format's description. */
function checksum(text: string): string {
  let rest = BigInt(crc32(text));
  const digits: string[] = [];
  while (digits.length < 6) {
    digits.unshift(BASE62[Number(rest % 62n)] ?? '');
    rest /= 62n;
  }
  return digits.join('');
}

describe('a new credential', () => {
  it('has the published form, with a checksum over all preceding characters, including the prefix', () => {
    for (let round = 0; round < 200; round += 1) {
      const { text, id } = newCredential('sk_live_');
      expect(text).toMatch(/^sk_live_wr1_[0-9A-Za-z]{50}$/);
      expect(text.slice(12, 24)).toBe(id);
      expect(text.slice(-6)).toBe(checksum(text.slice(0, -6)));
    }
  });

  it('is parsed back to its id and digest', () => {
    fc.assert(
      fc.property(prefixes, (prefix) => {
        const made = newCredential(prefix);
        expect(parseCredential(made.text)).toEqual({ prefix, id: made.id, sha256: made.sha256 });
      }),
    );
  });

  it('is parsed once, however often it is looked up', () => {
    const { text } = newCredential('sk_live_');
    const presented = new PresentedCredential(text);
    expect(presented.parsed).toEqual(parseCredential(text));
    expect(presented.parsed).toBe(presented.parsed);
    const mistyped = new PresentedCredential(`${text.slice(0, -1)}!`);
    expect([mistyped.parsed, mistyped.parsed]).toEqual([null, null]);
  });

  it('uses every letter about equally often', () => {
    const counts = new Map<string, number>();
    for (let round = 0; round < 2_000; round += 1) {
      for (const letter of newCredential('sk_test_').text.slice(12, -6)) {
        counts.set(letter, (counts.get(letter) ?? 0) + 1);
      }
    }
    // 88,000 letters, 1,419 expected of each, standard deviation 37: eight deviations are never reached by chance.
    expect(counts.size).toBe(62);
    for (const count of counts.values()) {
      expect(Math.abs(count - 88_000 / 62)).toBeLessThan(8 * 37.5);
    }
  });
});

describe('parsing a credential', () => {
  it('refuses every single mistyped letter', () => {
    fc.assert(
      fc.property(prefixes, fc.nat(61), fc.constantFrom(...BASE62), (prefix, position, letter) => {
        const { text } = newCredential(prefix);
        fc.pre(position < text.length && text[position] !== letter);
        expect(parseCredential(text.slice(0, position) + letter + text.slice(position + 1))).toBeNull();
      }),
    );
  });

  it('refuses two swapped adjacent letters', () => {
    fc.assert(
      fc.property(prefixes, fc.nat(60), (prefix, position) => {
        const { text } = newCredential(prefix);
        const [left = '', right = ''] = [text[position], text[position + 1]];
        fc.pre(left !== right);
        expect(parseCredential(text.slice(0, position) + right + left + text.slice(position + 2))).toBeNull();
      }),
    );
  });

  it('refuses a key whose prefix was replaced', () => {
    const { text } = newCredential('sk_test_');
    expect(parseCredential(text.replace('sk_test_', 'sk_live_'))).toBeNull();
  });

  it('refuses any other text without throwing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(parseCredential(text)).toBeNull();
      }),
    );
    const { text } = newCredential('sk_live_');
    for (const near of ['', ` ${text}`, `${text} `, `${text}\n`, text.slice(1), `${text}0`, text.toUpperCase()]) {
      expect(parseCredential(near)).toBeNull();
    }
  });
});
