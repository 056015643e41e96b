import { createHash } from 'node:crypto';
import { chanceOf, signBonus } from '../../plugins/prompt-injection/reading.js';
import type { ModelParameters } from '../../plugins/prompt-injection/model.js';
import {
  packWeights,
  unpackWeights,
  weightOf,
  type LearntWeight,
} from '../../plugins/prompt-injection/packed-weights.js';
import { train, valueOf, type LinearModel, type Trained } from './trainer.js';
import type { Corpus, Document } from './vocabulary.js';

/** Larger weights are capped, so that no single word determines a decision. */
const LARGEST = 3;
/** Smaller weights are dropped: they are many and change no decision. */
const LEAST = 0.05;
const FOLDS = 4;
/**
 * Seeds of the models whose mean is used. Each drops different features in training and reads the texts in a different order, so what
 * one of them learns by chance counts only a twelfth (L. Breiman, Bagging Predictors, 1996). The mean of linear models is again a
 * linear model.
 */
const SEEDS = Array.from({ length: 12 }, (_unused, index) => 12_345 + index);
/** The share of harmless texts that may reach each score. */
const MARKS: readonly (readonly [share: number, score: number])[] = [
  [0.05, 0.3],
  [0.012, 0.5],
  [0.009, 0.7],
  [0.002, 0.9],
];

/** A model without its calibration. */
export type Fitted = Omit<ModelParameters, 'marks'>;

/**
 * Trains on the documents that allow training, and rounds the weights to the shipped precision.
 *
 * @param keep selects documents of the corpus; by default all
 */
export function fit({ documents, vocabulary }: Corpus, keep: (document: Document) => boolean = () => true): Fitted {
  const chosen = documents.filter((document) => document.trains && keep(document));
  const { weights, bias, texts } = meanOf(SEEDS.map((seed) => train(chosen, vocabulary.length, seed)));
  const learnt: LearntWeight[] = [];
  weights.forEach((weight, number) => {
    if (Math.abs(weight) >= LEAST) learnt.push([vocabulary[number]!, weight, texts[number]!]);
  });
  return { weights: packWeights(learnt, LARGEST), largest: LARGEST, bias: Math.round(bias * 1_000) / 1_000 };
}

/** The mean of models that were trained on the same texts. */
function meanOf(models: readonly Trained[]): Trained {
  const [first, ...others] = models;
  const weights = first!.weights.map(
    (weight, feature) => others.reduce((sum, other) => sum + other.weights[feature]!, weight) / models.length,
  );
  const bias = models.reduce((sum, model) => sum + model.bias, 0) / models.length;
  return { weights, bias, texts: first!.texts };
}

/**
 * Trains, for each measured document, a model without the group of the document. Uses four folds; the documents of a fold share a model.
 */
export function unseenModels(corpus: Corpus, onFold: (fold: number) => void): Map<Document, Fitted> {
  const models = new Map<Document, Fitted>();
  for (let fold = 0; fold < FOLDS; fold++) {
    const model = fit(corpus, (document) => foldOf(document) !== fold);
    for (const document of corpus.documents)
      if (document.measured && foldOf(document) === fold) models.set(document, model);
    onFold(fold);
  }
  return models;
}

/** The marks of the calibration: values that the given shares of harmless documents reach. */
export function marksOf({ vocabulary }: Corpus, models: ReadonlyMap<Document, Fitted>): ModelParameters['marks'] {
  const unpacked = new Map<Fitted, LinearModel>();
  const values: number[] = [];
  for (const [document, fitted] of models) {
    if (document.attack) continue;
    let model = unpacked.get(fitted);
    if (model === undefined) {
      const table = unpackWeights(fitted.weights, fitted.largest);
      const weights = Float64Array.from(vocabulary, (feature) => weightOf(table, feature) / 1_000);
      unpacked.set(fitted, (model = { weights, bias: fitted.bias }));
    }
    values.push(highestValue(model, document));
  }
  values.sort((a, b) => b - a);
  return MARKS.map(([share, score]) => [Math.round(values[Math.floor(values.length * share)]! * 100) / 100, score]);
}

function highestValue(model: LinearModel, document: Document): number {
  const highest = document.windows.reduce((most, [from, to], window) => {
    const scores = document.signs.filter(({ token }) => token >= from && token < to).map(({ score }) => score);
    const total = scores.reduce((sum, score) => sum + score, 0);
    return Math.max(most, valueOf(model, document, window) + signBonus(Math.max(0, ...scores), total));
  }, Number.NEGATIVE_INFINITY);
  return highest - chanceOf(document.windows.length);
}

function foldOf({ group }: Document): number {
  return createHash('sha256').update(group).digest().readUInt32LE() % FOLDS;
}
