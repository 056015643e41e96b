import type { Feature } from '../../plugins/prompt-injection/features.js';
import type { ReadDocument } from './documents.js';

/** A document whose features are numbers in a vocabulary. */
export interface Document extends Omit<ReadDocument, 'features' | 'form'> {
  /** Numbers of the features of token `t` are `features[offsets[t]] .. features[offsets[t + 1]]`. */
  readonly features: Int32Array;
  /** Number of the text's form. */
  readonly form: number;
}

/** Documents with their vocabulary: the number of a feature is its index in `vocabulary`. */
export interface Corpus {
  readonly documents: readonly Document[];
  readonly vocabulary: Int32Array;
}

/** Minimum number of texts with a feature: a feature of a single text says nothing about other texts. */
export const FEWEST_TEXTS = 2;

/**
 * Numbers the features of documents by frequency, so that the most used weights are adjacent in memory. Features of a single document
 * are dropped, except for its form.
 */
export function corpusOf(documents: readonly ReadDocument[]): Corpus {
  const numbers = new Map<Feature, number>();
  for (const [feature, texts] of textsOf(documents)) if (texts >= FEWEST_TEXTS) numbers.set(feature, texts);
  const vocabulary = Int32Array.from([...numbers].sort(([a, m], [b, n]) => n - m || a - b).map(([feature]) => feature));
  vocabulary.forEach((feature, number) => numbers.set(feature, number));
  const extra: Feature[] = [];
  const formOf = (form: Feature): number => {
    if (!numbers.has(form)) numbers.set(form, vocabulary.length + extra.push(form) - 1);
    return numbers.get(form)!;
  };
  const numbered = documents.map((document): Document => ({
    ...document,
    ...numberOf(document, numbers),
    form: formOf(document.form),
  }));
  return { documents: numbered, vocabulary: Int32Array.from([...vocabulary, ...extra]) };
}

/** Number of documents in which each feature occurs. */
function textsOf(documents: readonly ReadDocument[]): Map<Feature, number> {
  const texts = new Map<Feature, number>();
  for (const { features } of documents)
    for (const feature of new Set(features)) texts.set(feature, (texts.get(feature) ?? 0) + 1);
  return texts;
}

function numberOf(
  { features, offsets }: ReadDocument,
  numbers: ReadonlyMap<Feature, number>,
): Pick<Document, 'features' | 'offsets'> {
  const kept: number[] = [];
  const places = new Int32Array(offsets.length);
  for (let token = 0; token + 1 < offsets.length; token++) {
    for (let index = offsets[token]!; index < offsets[token + 1]!; index++) {
      const number = numbers.get(features[index]!);
      if (number !== undefined) kept.push(number);
    }
    places[token + 1] = kept.length;
  }
  return { features: Int32Array.from(kept), offsets: places };
}
