import type { Feature } from './features.js';

/** One character per six bits: the alphabet of base64 (RFC 4648, section 4). */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const SIX_BITS = 63;
/** Number of levels of a weight on each side of 0. */
const LEVELS = 31;
/** Places in the table as a power of two: four times the number of weights, so that few collide. */
const PLACE_BITS = 20;
const PLACES = 1 << PLACE_BITS;
/**
 * A feature's highest bits (the mark) are stored with its weight: an unknown feature at an occupied place matches by chance only in 1
 * of 64 cases.
 */
const MARK_SHIFT = 26;
/** The longest step to the next place that one character can encode. */
const LONGEST_STEP = SIX_BITS;

/** Weights by feature, in thousandths. */
export interface WeightTable {
  /** For each place the mark (6 bits) and the code of the level (6 bits); 0 if the place is empty. */
  readonly places: Uint16Array;
  /** The weight of each level's code. */
  readonly values: Int16Array;
}

/** A feature, its weight, and the number of training texts that contain it. */
export type LearntWeight = readonly [feature: Feature, weight: number, texts: number];

/** The code of a weight's level: 1 to 62, or 0 for no weight. */
const codeOf = (weight: number, largest: number): number => {
  const level = Math.min(LEVELS, Math.round(LEVELS * Math.sqrt(Math.abs(weight) / largest)));
  return level === 0 ? 0 : weight < 0 ? level : LEVELS + level;
};

/** The weight of a code, in thousandths. Levels of small weights are closer together than those of large ones. */
const valueOfCode = (code: number, largest: number): number => {
  const level = code > LEVELS ? code - LEVELS : -code;
  return Math.sign(level) * Math.round((1_000 * largest * level * level) / (LEVELS * LEVELS));
};

const placeOf = (feature: Feature): number => feature & (PLACES - 1);

/**
 * Writes weights as text, three characters each: the step to the next place, the mark, the level. If two features have the same place,
 * the one seen in more texts is stored.
 *
 * @param largest the weight of the highest level; larger ones are clamped.
 */
export function packWeights(weights: Iterable<LearntWeight>, largest: number): string {
  const best = new Map<number, LearntWeight>();
  for (const weight of weights) {
    const rival = best.get(placeOf(weight[0]));
    // Place 0 stays empty: NO_FEATURE is looked up there.
    if (placeOf(weight[0]) === 0 || codeOf(weight[1], largest) === 0) continue;
    if (rival === undefined || comesBefore(weight, rival)) best.set(placeOf(weight[0]), weight);
  }
  let last = -1;
  const parts: string[] = [];
  for (const [place, [feature, weight]] of [...best].sort(([a], [b]) => a - b)) {
    // Longer distances are written as extra steps without a weight.
    for (; place - last > LONGEST_STEP; last += LONGEST_STEP) parts.push(ALPHABET.charAt(0));
    parts.push(
      ALPHABET.charAt(place - last) +
        ALPHABET.charAt(feature >>> MARK_SHIFT) +
        ALPHABET.charAt(codeOf(weight, largest)),
    );
    last = place;
  }
  return parts.join('');
}

function comesBefore([feature, , texts]: LearntWeight, [rival, , rivalTexts]: LearntWeight): boolean {
  return texts === rivalTexts ? feature < rival : texts > rivalTexts;
}

/** Reads the output of `packWeights`; the weights are in thousandths. */
export function unpackWeights(packed: string, largest: number): WeightTable {
  const bits = new Uint8Array(128);
  for (let index = 0; index < ALPHABET.length; index++) bits[ALPHABET.charCodeAt(index)] = index;
  const places = new Uint16Array(PLACES);
  let place = -1;
  for (let index = 0; index < packed.length;) {
    const step = bits[packed.charCodeAt(index++) & 127]!;
    if (step === 0) {
      place += LONGEST_STEP;
      continue;
    }
    place += step;
    const mark = bits[packed.charCodeAt(index++) & 127]!;
    places[place] = (mark << 6) | bits[packed.charCodeAt(index++) & 127]!;
  }
  const values = Int16Array.from({ length: SIX_BITS + 1 }, (_unused, code) => valueOfCode(code, largest));
  return { places, values };
}

/** The weight of a feature in thousandths; 0 if it was not learnt. */
export function weightOf({ places, values }: WeightTable, feature: Feature): number {
  const entry = places[feature & (PLACES - 1)]!;
  return entry >>> 6 === feature >>> MARK_SHIFT ? values[entry & SIX_BITS]! : 0;
}

/** The number of features at the beginning of a token that depend on its word only. */
const OF_WORD = 4;
/** The number of words whose weight is kept, a power of two. */
const KNOWN_WORDS = 4_096;

/** The total weight of a token's features, in thousandths: the first `count` entries of the array. */
export type SumFeatures = (features: Int32Array, count: number) => number;

/**
 * Creates a sum of weights that keeps the weight of the features of words. The words of a language are few, and their table is so small
 * that it stays in the processor's cache. Weights are whole numbers, so the order in which they are added does not matter.
 */
export function createSum(table: WeightTable): SumFeatures {
  // For each place the features of a word and their weight. An empty place is right as well: NO_FEATURE has the weight 0.
  const known = new Int32Array(KNOWN_WORDS * (OF_WORD + 1));
  return (features, count) => {
    const place = (features[0]! & (KNOWN_WORDS - 1)) * (OF_WORD + 1);
    const isKnown =
      known[place] === features[0] &&
      known[place + 1] === features[1] &&
      known[place + 2] === features[2] &&
      known[place + 3] === features[3];
    if (!isKnown) {
      for (let index = 0; index < OF_WORD; index++) known[place + index] = features[index]!;
      known[place + OF_WORD] = sumOf(table, features, 0, OF_WORD);
    }
    return known[place + OF_WORD]! + sumOf(table, features, OF_WORD, count);
  };
}

/**
 * The total weight of the features from `from` to `to`, in thousandths. Most of the time is spent waiting for memory, so there are no
 * branches on the table's content: the processor then fetches several places in parallel.
 */
function sumOf({ places, values }: WeightTable, features: Int32Array, from: number, to: number): number {
  let sum = 0;
  for (let index = from; index < to; index++) {
    const feature = features[index]!;
    const entry = places[feature & (PLACES - 1)]!;
    // A bit mask: all bits set if the marks are equal, otherwise 0, which selects code 0 with weight 0.
    const isSame = (((entry >>> 6) ^ (feature >>> MARK_SHIFT)) - 1) >> 31;
    sum += values[entry & SIX_BITS & isSame]!;
  }
  return sum;
}
