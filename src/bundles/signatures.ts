import { createHash, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import {
  BUNDLE_PAYLOAD_TYPE,
  bundlePayload,
  canonicalJson,
  SIGNED_BUNDLE_TYPE,
  type Bundle,
  type BundleSignature,
} from '../core/index.js';

/** A public key whose signatures are accepted. */
export interface TrustedKey {
  /** The name that people use for it. */
  readonly name: string;
  /** SHA-256 of the key (SPKI, DER), its first 16 hexadecimal digits. */
  readonly id: string;
  readonly key: KeyObject;
}

/** The account and number to which a signature binds a bundle, besides the bundle's environment. */
export interface SignedFor {
  /** Id of the account. */
  readonly account: string;
  /** Increases with every signature, so that an old bundle can be distinguished from a new one. */
  readonly serial: number;
}

/** The result of checking one signature of a bundle. `wrong`: by a trusted key, but not over this bundle. */
export interface SignatureCheck {
  readonly keyId: string;
  readonly outcome: 'valid' | 'wrong' | 'unknown_key';
  readonly name?: string;
  /** Set for a valid signature; absent for one of an earlier version, which covered only the bundle. */
  readonly signedFor?: SignedFor;
}

/** SHA-256 in hex. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The digest that identifies a bundle: SHA-256 over everything but its signatures, in hex. */
export function bundleDigest(bundle: Bundle): string {
  return sha256Hex(bundlePayload(bundle));
}

/**
 * Reads a public key (SPKI). The text is a whole PEM file, or only the base64 of the DER form: the line between the first and the last line
 * of the PEM file.
 *
 * @returns undefined for anything other than an Ed25519 key
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

/** The id of a key: the same for a private key and its public key. */
export function keyIdOf(key: KeyObject): string {
  const half = key.type === 'private' ? createPublicKey(key) : key;
  return createHash('sha256')
    .update(half.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16);
}

/** Adds a signature to the bundle, replacing an earlier one by the same key. */
export function signBundle(bundle: Bundle, privateKey: KeyObject, { account, serial }: SignedFor): Bundle {
  const keyId = keyIdOf(privateKey);
  const value = sign(null, boundBytes(bundle, { account, serial }), privateKey).toString('base64');
  const signatures: BundleSignature[] = [
    ...bundle.signatures.filter((one) => one.key_id !== keyId),
    { key_id: keyId, algorithm: 'ed25519', value, account, serial },
  ];
  return { ...bundle, signatures: signatures.sort((a, b) => (a.key_id < b.key_id ? -1 : 1)) };
}

/** Checks every signature of a bundle against the trusted keys. */
export function verifyBundle(bundle: Bundle, trusted: readonly TrustedKey[]): SignatureCheck[] {
  return bundle.signatures.map(({ key_id: keyId, value, account, serial }) => {
    const known = trusted.find(({ id }) => id === keyId);
    if (known === undefined) return { keyId, outcome: 'unknown_key' };
    const signedFor = account === undefined || serial === undefined ? undefined : { account, serial };
    const bytes = signedFor === undefined ? unboundBytes(bundle) : boundBytes(bundle, signedFor);
    if (!verify(null, bytes, known.key, Buffer.from(value, 'base64')))
      return { keyId, name: known.name, outcome: 'wrong' };
    return { keyId, name: known.name, outcome: 'valid', ...(signedFor === undefined ? {} : { signedFor }) };
  });
}

/** The bytes of a statement about a bundle: its digest, account, environment and number. */
function boundBytes(bundle: Bundle, { account, serial }: SignedFor): Buffer {
  const statement = { account, bundle: bundleDigest(bundle), environment: bundle.environment, serial };
  return authenticated(SIGNED_BUNDLE_TYPE, canonicalJson(statement));
}

/** The bytes that earlier versions signed. */
function unboundBytes(bundle: Bundle): Buffer {
  return authenticated(BUNDLE_PAYLOAD_TYPE, bundlePayload(bundle));
}

/** DSSE's pre-authentication encoding, v1: https://github.com/secure-systems-lab/dsse/blob/master/protocol.md */
function authenticated(type: string, text: string): Buffer {
  const payload = Buffer.from(text, 'utf8');
  return Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${payload.length} `), payload]);
}
