import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { isPdfDictionary, pdfBytesOf, pdfNameOf, type PdfDictionary, type PdfValue } from './pdf-syntax.js';

/** Decrypts the bytes of a string or stream of an object. */
type PdfCipher = (bytes: Buffer, object: number, generation: number) => Buffer;

/** The ciphers of a file that opens without a password. */
export interface PdfCiphers {
  readonly strings: PdfCipher;
  readonly streams: PdfCipher;
  /** Whether streams of metadata are not encrypted. */
  readonly isMetadataPlain: boolean;
}

type Method = 'V2' | 'AESV2' | 'AESV3' | 'Identity';

/** The padding that replaces an empty password (ISO 32000-1, algorithm 2). */
const PADDING = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');
const BLOCK_BYTES = 16;
const NO_PASSWORD = Buffer.alloc(0);

/**
 * The ciphers of the standard security handler for an empty password (ISO 32000-2, section 7.6).
 * @param id the first part of the file's identifier
 * @returns undefined for another handler, or if the file does not open with an empty password
 */
export function pdfCiphers(encrypt: PdfDictionary, id: Buffer): PdfCiphers | undefined {
  if (pdfNameOf(encrypt.get('Filter')) !== 'Standard') return undefined;
  const version = numberOf(encrypt.get('V'), 0);
  if (![1, 2, 4, 5].includes(version)) return undefined;
  const key = version === 5 ? keyOf256Bits(encrypt) : keyOfOldVersions(encrypt, version, id);
  const [strings, streams] = ['StrF', 'StmF'].map((name) => methodOf(encrypt, version, name));
  if (key === undefined || strings === undefined || streams === undefined) return undefined;
  const isMetadataPlain = version >= 4 && encrypt.get('EncryptMetadata') === false;
  return { strings: cipherOf(strings, key), streams: cipherOf(streams, key), isMetadataPlain };
}

function numberOf(value: PdfValue, usual: number): number {
  return typeof value === 'number' ? value : usual;
}

function bytesOf(value: PdfValue): Buffer {
  return Buffer.from(pdfBytesOf(value) ?? '', 'latin1');
}

function methodOf(encrypt: PdfDictionary, version: number, name: string): Method | undefined {
  if (version < 4) return 'V2';
  const filter = pdfNameOf(encrypt.get(name)) ?? 'Identity';
  if (filter === 'Identity') return 'Identity';
  const filters = encrypt.get('CF');
  const about = isPdfDictionary(filters) ? filters.get(filter) : undefined;
  const method = isPdfDictionary(about) ? pdfNameOf(about.get('CFM')) : undefined;
  return (['V2', 'AESV2', 'AESV3'] as const).find((known) => known === method);
}

function cipherOf(method: Method, key: Buffer): PdfCipher {
  if (method === 'Identity') return (bytes) => bytes;
  if (method === 'AESV3') return (bytes) => decryptedAes('aes-256-cbc', key, bytes);
  if (method === 'V2') return (bytes, object, generation) => rc4(keyOfObject(key, object, generation, ''), bytes);
  return (bytes, object, generation) => {
    return decryptedAes('aes-128-cbc', keyOfObject(key, object, generation, 'sAlT'), bytes);
  };
}

/** Algorithm 1. */
function keyOfObject(key: Buffer, object: number, generation: number, salt: string): Buffer {
  const numbers = Buffer.of(object, object >> 8, object >> 16, generation, generation >> 8);
  return md5(key, numbers, Buffer.from(salt)).subarray(0, Math.min(key.length + 5, BLOCK_BYTES));
}

function md5(...parts: readonly Buffer[]): Buffer {
  return createHash('md5').update(Buffer.concat(parts)).digest();
}

/** Algorithms 2, 4 and 5. */
function keyOfOldVersions(encrypt: PdfDictionary, version: number, id: Buffer): Buffer | undefined {
  const revision = numberOf(encrypt.get('R'), 0);
  const length = version === 1 ? 5 : version === 4 ? 16 : numberOf(encrypt.get('Length'), 40) / 8;
  if (!Number.isInteger(length) || length < 5 || length > 16) return undefined;
  const permissions = Buffer.alloc(4);
  permissions.writeInt32LE(numberOf(encrypt.get('P'), 0) | 0);
  const isMetadataPlain = revision >= 4 && encrypt.get('EncryptMetadata') === false;
  const further = isMetadataPlain ? Buffer.alloc(4, 0xff) : Buffer.alloc(0);
  let key = md5(PADDING, bytesOf(encrypt.get('O')).subarray(0, 32), permissions, id, further).subarray(0, length);
  if (revision >= 3) for (let round = 0; round < 50; round++) key = md5(key).subarray(0, length);
  let proof = revision >= 3 ? md5(PADDING, id) : PADDING;
  for (let round = 0; round < (revision >= 3 ? 20 : 1); round++) {
    proof = rc4(
      key.map((byte) => byte ^ round),
      proof,
    );
  }
  return bytesOf(encrypt.get('U')).subarray(0, proof.length).equals(proof) ? key : undefined;
}

/** Algorithm 2.A. */
function keyOf256Bits(encrypt: PdfDictionary): Buffer | undefined {
  const hash = numberOf(encrypt.get('R'), 0) >= 6 ? hardenedHash : sha256;
  const user = bytesOf(encrypt.get('U'));
  const packed = bytesOf(encrypt.get('UE')).subarray(0, 32);
  if (user.length < 48 || packed.length < 32) return undefined;
  if (!hash(user.subarray(32, 40)).equals(user.subarray(0, 32))) return undefined;
  const decipher = createDecipheriv('aes-256-cbc', hash(user.subarray(40, 48)), Buffer.alloc(BLOCK_BYTES));
  return decipher.setAutoPadding(false).update(packed);
}

function sha256(salt: Buffer): Buffer {
  return createHash('sha256').update(salt).digest();
}

/** Algorithm 2.B, for an empty password. */
function hardenedHash(salt: Buffer): Buffer {
  let key = sha256(salt);
  let last = 0;
  for (let round = 0; round < 64 || last > round - 32; round++) {
    const repeated = Buffer.concat(Array.from({ length: 64 }, () => Buffer.concat([NO_PASSWORD, key])));
    const cipher = createCipheriv('aes-128-cbc', key.subarray(0, 16), key.subarray(16, 32)).setAutoPadding(false);
    const mixed = cipher.update(repeated);
    const rest = mixed.subarray(0, 16).reduce((sum, byte) => sum + byte, 0) % 3;
    key = createHash(['sha256', 'sha384', 'sha512'][rest] ?? 'sha256')
      .update(mixed)
      .digest();
    last = mixed.at(-1) ?? 0;
  }
  return key.subarray(0, 32);
}

/** Decrypts and removes the padding at the end (RFC 8018, section 6.1.1), because a detector can depend on the end of a text. */
function decryptedAes(algorithm: 'aes-128-cbc' | 'aes-256-cbc', key: Buffer, bytes: Buffer): Buffer {
  const end = bytes.length - (bytes.length % BLOCK_BYTES);
  if (end <= BLOCK_BYTES) return Buffer.alloc(0);
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, BLOCK_BYTES)).setAutoPadding(false);
  const padded = decipher.update(bytes.subarray(BLOCK_BYTES, end));
  const length = padded.at(-1) ?? 0;
  const isPadding = length >= 1 && length <= BLOCK_BYTES && padded.subarray(-length).every((byte) => byte === length);
  return isPadding ? padded.subarray(0, -length) : padded;
}

/** RC4, which newer builds of OpenSSL do not offer. */
function rc4(key: Uint8Array, bytes: Buffer): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, at) => at);
  for (let at = 0, other = 0; at < 256; at++) {
    other = (other + (state[at] ?? 0) + (key[at % key.length] ?? 0)) & 0xff;
    swap(state, at, other);
  }
  const out = Buffer.alloc(bytes.length);
  for (let at = 0, first = 0, second = 0; at < bytes.length; at++) {
    first = (first + 1) & 0xff;
    second = (second + (state[first] ?? 0)) & 0xff;
    swap(state, first, second);
    out[at] = (bytes[at] ?? 0) ^ (state[((state[first] ?? 0) + (state[second] ?? 0)) & 0xff] ?? 0);
  }
  return out;
}

function swap(state: Uint8Array, left: number, right: number): void {
  const kept = state[left] ?? 0;
  state[left] = state[right] ?? 0;
  state[right] = kept;
}
