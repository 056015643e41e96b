/**
 * Keys and management tokens as text: `<prefix>wr1_<id 12><secret 32><crc 6>`, base62. The id is public and identifies the row; the secret
 * has 190 bits. With the CRC-32 over all preceding characters, including the prefix, a mistyped key is refused without a query. `wr1` is
 * vendor tag and format version, so that scanners for other vendors' keys do not match.
 */
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Environment } from '../core/index.js';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 12;
const SECRET_LENGTH = 32;
const CRC_LENGTH = 6;
const FORMAT = 'wr1_';
/** The largest multiple of 62 up to 256: bytes from here on would favour the first letters. */
const REJECT_FROM = 248;

/** `sk_live_` for production keys, `sk_test_` for the others, `wt_live_` for management tokens. */
export type CredentialPrefix = 'sk_live_' | 'sk_test_' | 'wt_live_';

const CREDENTIAL = /^(sk_live_|sk_test_|wt_live_)wr1_([0-9A-Za-z]{12})[0-9A-Za-z]{32}([0-9A-Za-z]{6})$/;

export interface NewCredential {
  /** Shown once, stored nowhere. */
  readonly text: string;
  readonly id: string;
  /** SHA-256 of the whole text. */
  readonly sha256: Buffer;
}

export interface ParsedCredential {
  readonly prefix: CredentialPrefix;
  readonly id: string;
  readonly sha256: Buffer;
}

/** A credential as presented. It is parsed and hashed once, however often it is looked up. */
export class PresentedCredential {
  private known: { readonly parsed: ParsedCredential | null } | undefined;

  constructor(private readonly text: string) {}

  /** The result of `parseCredential`. */
  get parsed(): ParsedCredential | null {
    return (this.known ??= { parsed: parseCredential(this.text) }).parsed;
  }
}

/** The prefix of a key of this environment. */
export function keyPrefix(environment: Environment): 'sk_live_' | 'sk_test_' {
  return environment === 'production' ? 'sk_live_' : 'sk_test_';
}

/** Creates a credential from the system's randomness. */
export function newCredential(prefix: CredentialPrefix): NewCredential {
  const id = randomBase62(ID_LENGTH);
  const body = `${prefix}${FORMAT}${id}${randomBase62(SECRET_LENGTH)}`;
  const text = body + checksum(body);
  return { text, id, sha256: sha256(text) };
}

/** Parses a credential; null when it has another format or was mistyped. It does not query the database. */
export function parseCredential(presented: string): ParsedCredential | null {
  const match = CREDENTIAL.exec(presented);
  const [, prefix, id, crc] = match ?? [];
  if (prefix === undefined || id === undefined || crc !== checksum(presented.slice(0, -CRC_LENGTH))) {
    return null;
  }
  return { prefix: prefix as CredentialPrefix, id, sha256: sha256(presented) };
}

/** CRC-32 (as in zlib) of the text, as six base62 digits, most significant first. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let position = 0; position < CRC_LENGTH; position += 1) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < REJECT_FROM && text.length < length) {
        text += ALPHABET.charAt(byte % ALPHABET.length);
      }
    }
  }
  return text;
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
