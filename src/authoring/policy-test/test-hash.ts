import type { KeyedHash } from '../../core/redaction/index.js';

/**
 * The hash of stable tokens in policy tests: the same text has the same token in every run. It does not protect secrets, which is not
 * needed because tests contain only samples. Four 32-bit FNV-1a hashes with different start values.
 * http://www.isthe.com/chongo/tech/comp/fnv/
 */
export const testHash: KeyedHash = (text) => {
  const digest = new Uint8Array(16);
  for (let part = 0; part < 4; part++) {
    let hash = 0x811c9dc5 ^ part;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      hash = Math.imul(hash ^ (unit & 0xff), 0x01000193);
      hash = Math.imul(hash ^ (unit >>> 8), 0x01000193);
    }
    for (let byte = 0; byte < 4; byte++) digest[part * 4 + byte] = (hash >>> (8 * byte)) & 0xff;
  }
  return digest;
};
