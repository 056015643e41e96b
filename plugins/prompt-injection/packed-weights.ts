/** One character for a weight: six bits, the alphabet of base64 (RFC 4648, section 4). */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const LEVELS = 31;

/** What a level stands for, in thousandths: small weights are kept finer than large ones. */
const valueOfLevel = (level: number, largest: number): number =>
  Math.sign(level) * Math.round((1_000 * largest * level * level) / (LEVELS * LEVELS));

/**
 * Writes weights as text, a character each.
 *
 * @param largest the weight that the highest level stands for; larger ones are cut.
 */
export function packWeights(weights: ArrayLike<number>, largest: number): string {
  return Array.from(weights, (weight) => {
    const level = Math.min(LEVELS, Math.round(LEVELS * Math.sqrt(Math.abs(weight) / largest)));
    return ALPHABET.charAt(LEVELS + Math.sign(weight) * level);
  }).join('');
}

/** Reads what `packWeights` wrote, in thousandths. */
export function unpackWeights(packed: string, largest: number): Int16Array {
  const values = new Int16Array(128);
  for (let index = 0; index < ALPHABET.length; index++)
    values[ALPHABET.charCodeAt(index)] = valueOfLevel(Math.min(index - LEVELS, LEVELS), largest);
  const weights = new Int16Array(packed.length);
  for (let index = 0; index < packed.length; index++) weights[index] = values[packed.charCodeAt(index) & 127]!;
  return weights;
}
