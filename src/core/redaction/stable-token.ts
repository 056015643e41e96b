/** A keyed hash (HMAC-SHA-256 or as strong) of a text. The key belongs to one account and never enters core. */
export type KeyedHash = (text: string) => Uint8Array;

/** Consonants: no word, name or number can come about by chance, so no detector takes a token for a finding. */
const LETTERS = 'bcdfghjklmnpqrstvwxz';
/** 20^14 is a little over 2^60: two values of one account get the same token once in a billion values. */
const LENGTH = 14;

/**
 * The token that stands for a value: `[EMAIL_kqtzbwmrnvdhsl]`. A function of the key, the type and the normalised value
 * alone, so that the same value has the same token in every call, process and replica, and a request that is sent again
 * is redacted to the same bytes.
 *
 * @param type the finding's code
 * @param hash keyed by the account; without the key a token cannot be guessed from its value or the other way round
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

/** Numbers as people write them: groups of digits with blanks, dots, dashes, slashes and brackets between them. */
const GROUPED_DIGITS = /^[+(]*\d[\d\s().\-/]*$/;

/**
 * What two spellings of one value have in common: Unicode compatibility forms, white space, the case of e-mail
 * addresses, the grouping of numbers. Nothing else is folded: two secrets that differ in case are two secrets.
 */
export function normaliseValue(type: string, value: string): string {
  const plain = value.normalize('NFKC').trim().replace(/\s+/g, ' ');
  if (type === 'EMAIL') return plain.toLowerCase();
  if (type === 'IBAN') return plain.replace(/[ -]/g, '').toUpperCase();
  return GROUPED_DIGITS.test(plain) ? plain.replace(/[^\d+]/g, '') : plain;
}
