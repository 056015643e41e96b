import { chanceOf, LENGTH_FACTORS, readText, signBonus, windowsOf } from './reading.js';
import { createSum, unpackWeights, weightOf, type SumFeatures, type WeightTable } from './packed-weights.js';
import type { Sign } from './signs.js';

/** A part of a text that resembles an injection: a window of tokens, or a sentence. */
export interface ScoredSpan {
  readonly start: number;
  readonly end: number;
  /** 0 to 1, calibrated: see the marks of `ModelParameters`. */
  readonly score: number;
}

/** The result of training. */
export interface ModelParameters {
  /** The weights of features: see `packWeights`. */
  readonly weights: string;
  /** The weight of the highest level. */
  readonly largest: number;
  readonly bias: number;
  /**
   * Values and their scores, ascending. They are set by the share of harmless texts of unseen groups that reach a value: about twelve
   * in a thousand for 0.5, nine for 0.7, two for 0.9.
   */
  readonly marks: readonly (readonly [value: number, score: number])[];
}

/** Spans below this score are not reported. */
const LEAST_SCORE = 0.4;

/** Growing arrays of data about each token of the current text; reused for the next text. */
class Track {
  count = 0;
  starts = new Int32Array(FIRST_ROOM);
  ends = new Int32Array(FIRST_ROOM);
  begins = new Uint8Array(FIRST_ROOM);
  /** Prefix sums: the total weight of all tokens before this one. */
  sums = new Float64Array(FIRST_ROOM + 1);

  push(start: number, end: number, begins: boolean, weight: number): void {
    if (this.count === this.starts.length) this.grow();
    const at = this.count++;
    this.starts[at] = start;
    this.ends[at] = end;
    this.begins[at] = begins ? 1 : 0;
    this.sums[at + 1] = this.sums[at]! + weight;
  }

  private grow(): void {
    const room = this.starts.length * 2;
    const larger = new Track();
    larger.starts = new Int32Array(room);
    larger.ends = new Int32Array(room);
    larger.begins = new Uint8Array(room);
    larger.sums = new Float64Array(room + 1);
    for (const field of ['starts', 'ends', 'begins', 'sums'] as const) {
      larger[field].set(this[field]);
    }
    ({ starts: this.starts, ends: this.ends, begins: this.begins, sums: this.sums } = larger);
  }
}

const FIRST_ROOM = 512;
/** Arrays for more tokens than this are released before the next text. */
const MOST_ROOM = 65_536;

interface Weights {
  readonly table: WeightTable;
  readonly sum: SumFeatures;
}

/** Decoded weights are large and never change, so they are cached by their parameters and shared by all detectors. */
const decoded = new WeakMap<ModelParameters, Weights>();

function weightsOf(parameters: ModelParameters): Weights {
  const known = decoded.get(parameters);
  if (known !== undefined) return known;
  const table = unpackWeights(parameters.weights, parameters.largest);
  const weights = { table, sum: createSum(table) };
  decoded.set(parameters, weights);
  return weights;
}

/** Decodes the weights once. The returned model scores normalised texts and keeps nothing of them but hashes of single words. */
export function createModel(parameters: ModelParameters): (text: string, signs: readonly Sign[]) => ScoredSpan[] {
  const { table: weights, sum } = weightsOf(parameters);
  let track = new Track();
  return (text, signs) => {
    track.count = 0;
    if (track.starts.length > MOST_ROOM) track = new Track();
    const form = readText(text, (start, end, begins, features, count) => {
      track.push(start, end, begins, sum(features, count));
    });
    const base = weightOf(weights, form) / THOUSAND + parameters.bias;
    return judge(track, placeSigns(track, signs, weights), base, parameters.marks);
  };
}

const THOUSAND = 1_000;

interface PlacedSign {
  readonly token: number;
  readonly score: number;
}

/** Adds the weights of the signs to the tokens at which they start. Signs and tokens both ascend. */
function placeSigns(track: Track, signs: readonly Sign[], weights: WeightTable): PlacedSign[] {
  if (signs.length === 0 || track.count === 0) return [];
  const placed: PlacedSign[] = [];
  let added = 0;
  let sign = 0;
  for (let token = 0; token < track.count; token++) {
    const last = token + 1 === track.count;
    while (sign < signs.length && (last || signs[sign]!.start < track.ends[token]!)) {
      const { features, score } = signs[sign++]!;
      added += weightOf(weights, features[0]) + weightOf(weights, features[1]);
      placed.push({ token, score });
    }
    track.sums[token + 1]! += added;
  }
  return placed;
}

/** Of overlapping windows, the one with the highest score is reported. A window after its end starts a new span. */
function judge(
  track: Track,
  signs: readonly PlacedSign[],
  base: number,
  marks: ModelParameters['marks'],
): ScoredSpan[] {
  const stretches: ScoredSpan[] = [];
  let best: ScoredSpan | undefined;
  let firstSign = 0;
  const windows = windowsOf(track.begins, track.count);
  const start = base - chanceOf(windows.length);
  for (const [from, to] of windows) {
    while (firstSign < signs.length && signs[firstSign]!.token < from) firstSign++;
    let strongest = 0;
    let total = 0;
    for (let sign = firstSign; sign < signs.length && signs[sign]!.token < to; sign++) {
      strongest = Math.max(strongest, signs[sign]!.score);
      total += signs[sign]!.score;
    }
    const sum = (track.sums[to]! - track.sums[from]!) / THOUSAND;
    const score = scoreOf(sum * LENGTH_FACTORS[to - from]! + start + signBonus(strongest, total), marks);
    if (score < LEAST_SCORE) continue;
    const stretch = {
      start: track.starts[from]!,
      end: track.ends[to - 1]!,
      score,
    };
    if (best !== undefined && stretch.start >= best.end) {
      stretches.push(best);
      best = stretch;
    } else if (best === undefined || score > best.score) best = stretch;
  }
  if (best !== undefined) stretches.push(best);
  return stretches;
}

const SLOPE_BELOW = 0.05;
const SLOPE_ABOVE = 0.01;
const HIGHEST = 0.99;

/** The score of a value: linear between the marks, with a small slope outside them. */
function scoreOf(value: number, marks: ModelParameters['marks']): number {
  const [first, last] = [marks[0]!, marks.at(-1)!];
  if (value <= first[0]) return Math.max(0, first[1] + (value - first[0]) * SLOPE_BELOW);
  if (value >= last[0]) return Math.min(HIGHEST, last[1] + (value - last[0]) * SLOPE_ABOVE);
  const next = marks.findIndex(([mark]) => value < mark);
  const [low, lowScore] = marks[next - 1]!;
  const [high, highScore] = marks[next]!;
  return lowScore + ((value - low) / (high - low)) * (highScore - lowScore);
}
