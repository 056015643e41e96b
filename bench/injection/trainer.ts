import { LENGTH_FACTORS } from '../../plugins/prompt-injection/reading.js';
import { FEWEST_TEXTS, type Corpus, type Document } from './vocabulary.js';

/** A linear model: the sum of the weights of a window's features, scaled by its length, plus the form's weight and `bias`. */
export interface LinearModel {
  /** Weights by the number of the feature in the vocabulary. */
  readonly weights: Float64Array;
  readonly bias: number;
}

/** A trained model, with the number of training texts in which each feature occurs. */
export interface Trained extends LinearModel {
  readonly texts: Uint32Array;
}

const EPOCHS = 8;
const RATE = 0.15;
const SHRINK = 0.005;
/** From this epoch on, only the most attack-like windows of an attack without a labelled position count. */
const PICKING_FROM = 2;
const PICKED = 0.3;
const HARMLESS_WEIGHT = 1.5;
/** A source of n texts has the total weight n^(1 - 0.4): large sources count more, but not proportionally. */
const SOURCE_POWER = -0.4;
const FIRST_SQUARE = 1e-2;
const LEAST_GRADIENT = 1e-3;

/** Number of epochs for which a window is skipped after the model judged it correctly with high confidence. */
const REST = 2;

interface Item {
  readonly document: Document;
  readonly window: number;
  readonly weight: number;
  /** Remaining epochs for which it is skipped; shared by all copies of the item. */
  readonly rest: { epochs: number };
}

/** The state of a model during training. */
interface Learning {
  readonly weights: Float64Array;
  readonly squares: Float64Array;
  bias: number;
  biasSquare: number;
  /** 1 for features that occur in enough texts. */
  readonly known: Uint8Array;
}

/**
 * Trains on the given documents. The same documents in the same order and the same seed produce bit-identical weights.
 *
 * @param size size of the vocabulary to which the numbers of the documents refer
 */
export function train(documents: Corpus['documents'], size: number, seed: number): Trained {
  const random = generator(seed);
  const texts = textsOf(documents, size);
  const model: Learning = {
    weights: new Float64Array(size),
    squares: new Float64Array(size).fill(FIRST_SQUARE),
    bias: 0,
    biasSquare: FIRST_SQUARE,
    known: Uint8Array.from(texts, (count) => (count >= FEWEST_TEXTS ? 1 : 0)),
  };
  const items = itemsOf(documents);
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    const chosen = epoch >= PICKING_FROM ? pickBest(items, model) : [...items];
    shuffle(chosen, random);
    for (const item of chosen) {
      if (item.rest.epochs > 0 && epoch < EPOCHS - 1) item.rest.epochs--;
      else if (!step(item, model, random)) item.rest.epochs = REST;
    }
  }
  return { weights: model.weights, bias: model.bias, texts };
}

function textsOf(documents: Corpus['documents'], size: number): Uint32Array {
  const texts = new Uint32Array(size);
  const last = new Int32Array(size).fill(-1);
  documents.forEach(({ features, form }, index) => {
    for (const feature of features) {
      if (last[feature] === index) continue;
      last[feature] = index;
      texts[feature]!++;
    }
    texts[form]!++;
  });
  return texts;
}

/** The model's value for one window. */
export function valueOf({ weights, bias }: LinearModel, document: Document, window: number): number {
  const { offsets, features, windows, form } = document;
  const [from, to] = windows[window]!;
  let sum = 0;
  for (let index = offsets[from]!; index < offsets[to]!; index++) sum += weights[features[index]!]!;
  return sum * LENGTH_FACTORS[to - from]! + bias + weights[form]!;
}

function itemsOf(documents: readonly Document[]): Item[] {
  const sizes = new Map<string, number>();
  const kindOf = ({ source, attack }: Document): string => `${source}${attack ? '+' : '-'}`;
  for (const document of documents) sizes.set(kindOf(document), (sizes.get(kindOf(document)) ?? 0) + 1);
  const weightOf = (document: Document): number => sizes.get(kindOf(document))! ** SOURCE_POWER;
  const totals = { attack: 0, harmless: 0 };
  for (const document of documents) totals[document.attack ? 'attack' : 'harmless'] += weightOf(document);
  const half = documents.length / 2;
  const scale = {
    attack: half / totals.attack,
    harmless: (half / totals.harmless) * HARMLESS_WEIGHT,
  };
  return documents.flatMap((document) => {
    const attacks = document.labels.reduce((sum, label) => sum + (label === 1 ? 1 : 0), 0);
    const harmless = document.labels.reduce((sum, label) => sum + (label === 0 ? 1 : 0), 0);
    const weight = weightOf(document);
    return [...document.labels].flatMap((label, window): Item[] => {
      if (label < 0) return [];
      const share = label === 1 ? scale.attack / Math.sqrt(attacks) : scale.harmless / Math.sqrt(harmless);
      return [{ document, window, weight: weight * share, rest: { epochs: 0 } }];
    });
  });
}

/**
 * Keeps only the most attack-like windows of each attack without a labelled position, with a higher weight to compensate for the
 * dropped ones.
 */
function pickBest(items: readonly Item[], model: Learning): Item[] {
  const picked: Item[] = [];
  const loose = new Map<Document, Item[]>();
  for (const item of items) {
    if (!item.document.loose) picked.push(item);
    else if (loose.has(item.document)) loose.get(item.document)!.push(item);
    else loose.set(item.document, [item]);
  }
  for (const [document, own] of loose) {
    const ranked = own
      .map((item) => ({ item, value: valueOf(model, document, item.window) }))
      .sort((a, b) => b.value - a.value);
    const count = Math.max(1, Math.ceil(own.length * PICKED));
    const scale = Math.sqrt(own.length / count);
    for (const { item } of ranked.slice(0, count)) picked.push({ ...item, weight: item.weight * scale });
  }
  return picked;
}

const active = new Int32Array(100_000);

/**
 * One step of Adagrad (J. Duchi et al., JMLR 12, 2011) on the logistic loss of one window.
 *
 * @returns false if the gradient was too small for an update
 */
function step({ document, window, weight }: Item, model: Learning, random: () => number): boolean {
  const { weights, squares, known } = model;
  const { offsets, features, windows, labels, form } = document;
  const [from, to] = windows[window]!;
  const factor = LENGTH_FACTORS[to - from]!;
  let sum = 0;
  let count = 0;
  // One random bit for each feature: half of the features are dropped, so that no single word determines the decision.
  let bits = 0;
  let left = 0;
  for (let index = offsets[from]!; index < offsets[to]!; index++) {
    const feature = features[index]!;
    if (known[feature] === 0) continue;
    if (left-- === 0) {
      bits = random();
      left = 31;
    }
    const dropped = (bits & 1) === 1;
    bits >>>= 1;
    if (dropped) continue;
    active[count++] = feature;
    sum += weights[feature]!;
  }
  const value = sum * factor + model.bias + weights[form]!;
  const gradient = (1 / (1 + Math.exp(-value)) - labels[window]!) * weight;
  if (Math.abs(gradient) < LEAST_GRADIENT) return false;
  for (let index = 0; index < count; index++) {
    const feature = active[index]!;
    const slope = gradient * factor + SHRINK * weights[feature]!;
    squares[feature]! += slope * slope;
    weights[feature]! -= (RATE * slope) / Math.sqrt(squares[feature]!);
  }
  squares[form]! += gradient * gradient;
  weights[form]! -= (RATE * gradient) / Math.sqrt(squares[form]!);
  model.biasSquare += gradient * gradient;
  model.bias -= (RATE * gradient) / Math.sqrt(model.biasSquare);
  return true;
}

function shuffle<Item>(items: Item[], random: () => number): void {
  for (let index = items.length - 1; index > 0; index--) {
    const other = Math.floor((random() / 2 ** 32) * (index + 1));
    [items[index], items[other]] = [items[other]!, items[index]!];
  }
}

/** Generator of 32 random bits per call, with the same sequence for the same seed (splitmix32). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
}
