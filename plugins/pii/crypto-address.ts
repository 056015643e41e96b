import type { Pattern } from '../../src/core/plugin-api.js';

const CHARSET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

/** Bech32 (BIP 173) and Bech32m (BIP 350): the checksum over the prefix and the data, which is 1 or 0x2bc830a3. */
export function passesBech32(address: string): boolean {
  if (address !== address.toLowerCase() && address !== address.toUpperCase()) return false;
  const text = address.toLowerCase();
  const split = text.lastIndexOf('1');
  const prefix = Array.from(text.slice(0, split), (character) => character.charCodeAt(0));
  const data = Array.from(text.slice(split + 1), (character) => CHARSET.indexOf(character));
  if (split < 1 || data.includes(-1)) return false;
  let check = 1;
  for (const value of [...prefix.map((unit) => unit >> 5), 0, ...prefix.map((unit) => unit & 31), ...data]) {
    const top = check >>> 25;
    check = ((check & 0x1ffffff) << 5) ^ value;
    GENERATORS.forEach((generator, bit) => {
      if ((top >> bit) & 1) check ^= generator;
    });
  }
  return check === 1 || check === 0x2bc830a3;
}

export const CRYPTO_PATTERNS: readonly Pattern<'CRYPTO_ADDRESS'>[] = [
  {
    code: 'CRYPTO_ADDRESS',
    regex: /(?<![A-Za-z0-9])(?:bc|tb|ltc)1[02-9ac-hj-np-z]{11,87}(?![A-Za-z0-9])/i,
    trigger: { on: 'literals', literals: ['bc1', 'tb1', 'ltc1'] },
    score: 0.95,
    validate: passesBech32,
  },
  {
    code: 'CRYPTO_ADDRESS',
    // Base58 excludes 0, O, I and l. An address mixes cases and digits; a hash in hexadecimal does not.
    regex: /[13][1-9A-HJ-NP-Za-km-z]{25,34}(?![A-Za-z0-9])/,
    trigger: { on: 'token', token: 'digit' },
    score: 0.6,
    context: { words: ['bitcoin*', 'btc', 'wallet*', 'address', 'litecoin', 'crypto*'] },
    validate: (match) => /[a-z]/.test(match) && /[A-Z]/.test(match) && /[g-zG-Z]/.test(match) && !/^\d{9}/.test(match),
  },
  {
    code: 'CRYPTO_ADDRESS',
    regex: /(?<![A-Za-z0-9])0x[0-9a-fA-F]{40}(?![A-Za-z0-9])/,
    trigger: { on: 'literals', literals: ['0x'] },
    score: 0.85,
  },
];
