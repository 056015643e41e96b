import { createHash, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { BUNDLE_PAYLOAD_TYPE, bundlePayload, type Bundle, type BundleSignature } from '../core/index.js';

/** A public key whose signatures count. */
export interface TrustedKey {
  /** What people call it. */
  readonly name: string;
  /** SHA-256 of the key (SPKI, DER), its first 16 hexadecimal digits. */
  readonly id: string;
  readonly key: KeyObject;
}

/** One signature of a bundle, looked at. `wrong`: by a trusted key, and not over this bundle. */
export interface SignatureCheck {
  readonly keyId: string;
  readonly outcome: 'valid' | 'wrong' | 'unknown_key';
  readonly name?: string;
}

/** SHA-256 in hex. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** What identifies a bundle: SHA-256 over everything but its signatures, in hex. */
export function bundleDigest(bundle: Bundle): string {
  return sha256Hex(bundlePayload(bundle));
}

/**
 * A public key from SPKI: base64 of its DER form, which is the one line between the lines of a PEM file, or the PEM file.
 *
 * @returns undefined for anything that is no Ed25519 key
 */
export function readPublicKey(name: string, text: string): TrustedKey | undefined {
  try {
    const key = text.includes('-----')
      ? createPublicKey(text)
      : createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ed25519' ? { name, id: keyIdOf(key), key } : undefined;
  } catch {
    return undefined;
  }
}

/** The id of a key: the same for a private key and its public one. */
export function keyIdOf(key: KeyObject): string {
  const half = key.type === 'private' ? createPublicKey(key) : key;
  return createHash('sha256')
    .update(half.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16);
}

/** The bundle with one more signature; an earlier one of the same key is replaced. */
export function signBundle(bundle: Bundle, privateKey: KeyObject): Bundle {
  const keyId = keyIdOf(privateKey);
  const value = sign(null, signedBytes(bundle), privateKey).toString('base64');
  const signatures: BundleSignature[] = [
    ...bundle.signatures.filter((one) => one.key_id !== keyId),
    { key_id: keyId, algorithm: 'ed25519', value },
  ];
  return { ...bundle, signatures: signatures.sort((a, b) => (a.key_id < b.key_id ? -1 : 1)) };
}

/** Every signature of a bundle against the keys that are trusted. */
export function verifyBundle(bundle: Bundle, trusted: readonly TrustedKey[]): SignatureCheck[] {
  const bytes = signedBytes(bundle);
  return bundle.signatures.map(({ key_id: keyId, value }) => {
    const known = trusted.find(({ id }) => id === keyId);
    if (known === undefined) return { keyId, outcome: 'unknown_key' };
    const valid = verify(null, bytes, known.key, Buffer.from(value, 'base64'));
    return { keyId, name: known.name, outcome: valid ? 'valid' : 'wrong' };
  });
}

/** DSSE's pre-authentication encoding, v1: https://github.com/secure-systems-lab/dsse/blob/master/protocol.md */
function signedBytes(bundle: Bundle): Buffer {
  const payload = Buffer.from(bundlePayload(bundle), 'utf8');
  const type = BUNDLE_PAYLOAD_TYPE;
  return Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${payload.length} `), payload]);
}
