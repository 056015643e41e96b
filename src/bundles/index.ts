/** Cryptography of bundles: digests, signing, verifying. Used by the service and by the command line. */
export { bundleDigest, keyIdOf, readPublicKey, sha256Hex, signBundle, verifyBundle } from './signatures.js';
export type { SignatureCheck, SignedFor, TrustedKey } from './signatures.js';
