import { eachToken, formOf, namedFeature, type Feature, type VisitToken } from './features.js';

/** The number of tokens in a window, and the distance between windows. */
export const WINDOW = 64;
const STEP = 16;
const SHORTEST_SENTENCE = 5;

/** A range of tokens that gets a score. */
export type Window = readonly [from: number, to: number];

/** Splits a text into tokens. Returns the feature of the text's form, which counts once for every window. */
export function readText(text: string, visit: VisitToken): Feature {
  const form = formOf(text);
  eachToken(text, namedFeature(`F${form.slice(0, 4)}`), visit);
  return namedFeature(`S${form}`);
}

/**
 * The ranges of tokens that get a score, ascending by start, then by end: windows of a fixed size, and each sentence separately, so
 * that an order inside a long text is not diluted. `begins` marks the tokens that start a sentence.
 */
export function windowsOf(begins: ArrayLike<number>, count: number): Window[] {
  const windows: Window[] = [];
  let next = 0;
  const addWindowsBefore = (from: number): void => {
    for (; next < from && next < count && (next === 0 || next + WINDOW - STEP < count); next += STEP)
      windows.push([next, Math.min(count, next + WINDOW)]);
  };
  let from = 0;
  for (let index = 1; index <= count; index++) {
    if (index < count && begins[index] === 0) continue;
    addWindowsBefore(from);
    const whole = from === 0 && index === count;
    if (!whole && index - from >= SHORTEST_SENTENCE && index - from <= WINDOW) windows.push([from, index]);
    from = index;
  }
  addWindowsBefore(count);
  return windows;
}

const FEWEST_TOKENS = 6;

/** Factors for the sum over a window, by its number of tokens: long windows must not win by their length alone. */
export const LENGTH_FACTORS: readonly number[] = Array.from({ length: WINDOW + 1 }, (_unused, tokens) =>
  Math.sqrt(WINDOW / Math.max(tokens, FEWEST_TOKENS)),
);

/** Maximum total score of several signs in one window. */
const MOST_SIGNS = 4;
const STRONGEST_WEIGHT = 14;
const TOTAL_WEIGHT = 1;

/**
 * The value that signs add to their window in addition to their learnt weights, since a phrase that occurs in no corpus has no weight.
 *
 * @param strongest the highest score of a sign in the window; 0 without signs.
 * @param total the sum of their scores.
 */
export function signBonus(strongest: number, total: number): number {
  return STRONGEST_WEIGHT * strongest + TOTAL_WEIGHT * Math.min(MOST_SIGNS, total);
}

const CHANCE_WEIGHT = 1;
const MOST_CHANCES = 5;

/**
 * The value subtracted from every window, by their number: the highest of many values is high by chance. Constant from 32 windows on,
 * so that a very long text cannot hide an attack.
 */
export function chanceOf(windows: number): number {
  return CHANCE_WEIGHT * Math.min(MOST_CHANCES, Math.log2(Math.max(1, windows)));
}
