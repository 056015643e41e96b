/** A keyed hash (HMAC-SHA-256 or as strong) of a text. The key belongs to one account and never enters core. */
export type KeyedHash = (text: string) => Uint8Array;

/** Only consonants, so that no word, name or number occurs by chance and no detector reports a token. */
const LETTERS = 'bcdfghjklmnpqrstvwxz';
/** 20^14 is a little over 2^60: in one account, a collision is expected after about a billion values. */
const LENGTH = 14;

/**
 * The token of a value: `[EMAIL_kqtzbwmrnvdhsl]`. It depends only on the key, the type and the normalised value, so a value has the
 * same token in every call, process and replica, and a repeated request is redacted to the same bytes.
 *
 * @param type the finding's code
 * @param hash keyed by the account; without the key, neither the token nor the value can be derived from the other
 */
export function stableToken(type: string, value: string, hash: KeyedHash): string {
  const digest = hash(`${type}\n${normaliseValue(type, value)}`);
  let rest = digest.subarray(0, 16).reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  let letters = '';
  for (let index = 0; index < LENGTH; index++) {
    letters += LETTERS[Number(rest % BigInt(LETTERS.length))]!;
    rest /= BigInt(LETTERS.length);
  }
  return `[${type}_${letters}]`;
}

/** Numbers as people write them: groups of digits separated by spaces, dots, dashes, slashes or brackets. */
const GROUPED_DIGITS = /^[+(]*\d[\d\s().\-/]*$/;

/**
 * Maps the spellings of one value to the same text by normalising Unicode compatibility forms, white space, the case of e-mail
 * addresses and the grouping of numbers, but nothing else: secrets that differ in case are different secrets.
 */
export function normaliseValue(type: string, value: string): string {
  const plain = value.normalize('NFKC').trim().replace(/\s+/g, ' ');
  if (type === 'EMAIL') return plain.toLowerCase();
  if (type === 'IBAN') return plain.replace(/[ -]/g, '').toUpperCase();
  return GROUPED_DIGITS.test(plain) ? plain.replace(/[^\d+]/g, '') : plain;
}
