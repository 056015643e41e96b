import { CONCEPTS } from './concepts.js';
import { extendHash, HASH_START } from './hash.js';

/** The number of the concept for a hash of lower-case letters; 0 for none. */
export type ConceptOf = (hash: number) => number;

const SLOT_BITS = 13;
const SLOTS = 1 << SLOT_BITS;
/** Maximum length, in units, of the word prefixes looked up in scripts other than Latin. */
export const MOST_UNITS = 9;

/** Builds the lookup table from the lists. */
export function createConcepts(): ConceptOf {
  const hashes = new Int32Array(SLOTS);
  const concepts = new Uint8Array(SLOTS);
  const conceptOf = (hash: number): number => {
    let slot = firstSlot(hash);
    while (hashes[slot] !== hash && concepts[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
    return concepts[slot]!;
  };
  Object.values(CONCEPTS).forEach((words, index) => {
    for (const word of words.split(/\s+/)) {
      let hash = HASH_START;
      for (let at = 0; at < word.length; at++) hash = extendHash(hash, word.charCodeAt(at));
      let slot = firstSlot(hash);
      while (concepts[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
      hashes[slot] = hash;
      concepts[slot] = index + 1;
    }
  });
  return conceptOf;
}

function firstSlot(hash: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> (32 - SLOT_BITS);
}
