import type { Feature } from './features.js';

/** One character for six bits: the alphabet of base64 (RFC 4648, section 4). */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const SIX_BITS = 63;
/** Levels of a weight on each side of nought. */
const LEVELS = 31;
/** Places for weights, as a power of two: four times as many as there are weights, so that few want the same place. */
const PLACE_BITS = 20;
const PLACES = 1 << PLACE_BITS;
/** A feature's uppermost bits stand beside its weight: one that was not learnt is taken for one that was at 1 in 64 places taken. */
const MARK_SHIFT = 26;
/** The longest way from one place to the next that one character says. */
const LONGEST_STEP = SIX_BITS;

/** Weights by feature, in thousandths. */
export interface WeightTable {
  /** For each place the mark (6 bits) and the code of the level (6 bits); 0 where nothing stands. */
  readonly places: Uint16Array;
  /** What the code of a level weighs. */
  readonly values: Int16Array;
}

/** A feature, what it weighs, and in how many texts it was seen. */
export type LearntWeight = readonly [feature: Feature, weight: number, texts: number];

/** The code of a level is 1 to 62; 0 stands for nothing. */
const codeOf = (weight: number, largest: number): number => {
  const level = Math.min(LEVELS, Math.round(LEVELS * Math.sqrt(Math.abs(weight) / largest)));
  return level === 0 ? 0 : weight < 0 ? level : LEVELS + level;
};

/** What a code stands for, in thousandths: small weights are kept finer than large ones. */
const valueOfCode = (code: number, largest: number): number => {
  const level = code > LEVELS ? code - LEVELS : -code;
  return Math.sign(level) * Math.round((1_000 * largest * level * level) / (LEVELS * LEVELS));
};

const placeOf = (feature: Feature): number => feature & (PLACES - 1);

/**
 * Writes weights as text, three characters each: how many places on, the mark, the level. Of two features that want the same
 * place the one that more texts had gets it.
 *
 * @param largest the weight that the highest level stands for; larger ones are cut.
 */
export function packWeights(weights: Iterable<LearntWeight>, largest: number): string {
  const best = new Map<number, LearntWeight>();
  for (const weight of weights) {
    const rival = best.get(placeOf(weight[0]));
    // Place 0 stays empty: what is no feature looks there.
    if (placeOf(weight[0]) === 0 || codeOf(weight[1], largest) === 0) continue;
    if (rival === undefined || comesBefore(weight, rival)) best.set(placeOf(weight[0]), weight);
  }
  let last = -1;
  const parts: string[] = [];
  for (const [place, [feature, weight]] of [...best].sort(([a], [b]) => a - b)) {
    // A step to a place that stays empty is written alone.
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

/** Reads what `packWeights` wrote, in thousandths. */
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

/** What a feature weighs, in thousandths; 0 if nothing was learnt about it. */
export function weightOf({ places, values }: WeightTable, feature: Feature): number {
  const entry = places[feature & (PLACES - 1)]!;
  return entry >>> 6 === feature >>> MARK_SHIFT ? values[entry & SIX_BITS]! : 0;
}

/**
 * What the first `count` features of a list weigh together, in thousandths. Nothing branches on what the table holds: most of the
 * time goes into waiting for it, and so the places of several features are fetched at once.
 */
export function sumOf({ places, values }: WeightTable, features: Int32Array, count: number): number {
  let sum = 0;
  for (let index = 0; index < count; index++) {
    const feature = features[index]!;
    const entry = places[feature & (PLACES - 1)]!;
    // All bits where the marks are equal, none where they are not: code 0 weighs nothing.
    const isSame = (((entry >>> 6) ^ (feature >>> MARK_SHIFT)) - 1) >> 31;
    sum += values[entry & SIX_BITS & isSame]!;
  }
  return sum;
}
