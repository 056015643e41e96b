import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NO_FEATURE, type Feature } from '../../plugins/prompt-injection/features.js';
import { readText, windowsOf, type Window } from '../../plugins/prompt-injection/reading.js';
import { createSigns } from '../../plugins/prompt-injection/signs.js';
import { normalise } from '../../src/core/index.js';
import { installedTexts } from './installed-texts.js';
import { madeAttacks } from './made-attacks.js';
import { madeCarriers } from './made-carriers.js';
import { madeHarmless } from './made-harmless.js';
import { mayTrain, SOURCES, type Source } from './sources.js';

/** A sign of an attack (a phrase or an unusual structure) at its first token. */
export interface PlacedSign {
  readonly token: number;
  readonly score: number;
}

/** One text as the trainer reads it: features instead of words. The text itself is kept for measuring. */
export interface ReadDocument {
  readonly source: string;
  readonly text: string;
  /** Variants of one text share a group, so that a split never separates them. */
  readonly group: string;
  readonly attack: boolean;
  readonly trains: boolean;
  /** Whether it counts in reports; texts that only serve as harmless examples in training do not. */
  readonly measured: boolean;
  /** Feature that describes the form of the text. */
  readonly form: Feature;
  /** Features of token `t` are `features[offsets[t]] .. features[offsets[t + 1]]`. */
  readonly offsets: Int32Array;
  readonly features: Int32Array;
  readonly signs: readonly PlacedSign[];
  readonly windows: readonly Window[];
  /** 1 attack, 0 harmless, -1 neither: the window holds part of an attack. */
  readonly labels: Int8Array;
  /** Whether it is an attack of several windows without a labelled position. */
  readonly loose: boolean;
}

interface TextRecord {
  readonly id: string;
  readonly text: string;
  readonly label?: string;
  readonly group?: string;
  readonly spans?: readonly { readonly start: number; readonly end: number; readonly type?: string }[];
}

const signsOf = createSigns();

/** Reads all known sources in the folder, the installed texts under `root` and the generated texts, in a fixed order. */
export function readDocuments(folder: string, root: string): ReadDocument[] {
  const present = new Set(readdirSync(folder));
  return [
    ...SOURCES.filter(({ name }) => present.has(`${name}.jsonl`)).flatMap((source) => readSource(folder, source)),
    ...installedTexts(root).map(({ id, source, text }) => readDocument({ id, text, label: 'benign' }, extra(source))),
    ...carriers(),
    ...madeAttacks().map((text, index) =>
      readDocument({ id: `${index}`, text, label: 'attack' }, extra('made_attacks')),
    ),
    ...madeHarmless().map((text, index) =>
      readDocument({ id: `${index}`, text, label: 'benign' }, extra('made_harmless')),
    ),
  ];
}

function carriers(): ReadDocument[] {
  const { planted, harmless } = madeCarriers();
  return [
    ...planted.map(({ text, planted: at }, index) =>
      readDocument(
        {
          id: `${index}`,
          text,
          label: 'attack',
          ...(at === undefined ? {} : { spans: [{ ...at, type: 'INJECTION' }] }),
        },
        extra('made_planted'),
      ),
    ),
    ...harmless.map(({ text }, index) =>
      readDocument({ id: `${index}`, text, label: 'benign' }, extra('made_carriers')),
    ),
  ];
}

/** A source that does not come from the folder: used for training, but not in reports. */
function extra(name: string): Source {
  return { name, licence: 'own', use: 'train', harmlessTexts: Number.POSITIVE_INFINITY };
}

function readSource(folder: string, source: Source): ReadDocument[] {
  const lines = readFileSync(join(folder, `${source.name}.jsonl`), 'utf8').split('\n');
  const records = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as TextRecord);
  if (source.harmlessTexts !== undefined)
    return records
      .slice(0, source.harmlessTexts)
      .map((record) => readDocument({ id: record.id, text: record.text, label: 'benign' }, source));
  return records
    .filter(({ label }) => label === 'attack' || label === 'benign')
    .map((record) => readDocument(record, source));
}

type Span = readonly [from: number, to: number];

/** Reads one labelled text. */
export function readDocument(record: TextRecord, source: Source): ReadDocument {
  const shadow = normalise(record.text, { stripAccents: true, escapes: true });
  const text = shadow?.text ?? record.text;
  const starts: number[] = [];
  const ends: number[] = [];
  const begins: number[] = [];
  const rows: Int32Array[] = [];
  const form = readText(text, (start, end, begin, features, count) => {
    starts.push(start);
    ends.push(end);
    begins.push(begin ? 1 : 0);
    rows.push(features.subarray(0, count).filter((feature) => feature !== NO_FEATURE));
  });
  const attack = record.label === 'attack';
  const extra = new Map<number, number[]>();
  const signs: PlacedSign[] = [];
  for (const sign of signsOf(text)) {
    const token = tokenAt(ends, sign.start);
    if (token < 0) continue;
    signs.push({ token, score: sign.score });
    const list = extra.get(token);
    if (list === undefined) extra.set(token, [...sign.features]);
    else list.push(...sign.features);
  }
  const windows = windowsOf(begins, starts.length);
  const spans = (record.spans ?? [])
    .filter(({ type }) => type === 'INJECTION')
    .map(({ start, end }): Span => [start, end]);
  // Spans are positions in the original text, tokens are positions in the normalised text.
  const place = (from: number, to: number): Span => {
    const range = { start: starts[from]!, end: ends[to - 1]! };
    const original = shadow === undefined ? range : shadow.original(range.start, range.end);
    return [original.start, original.end];
  };
  return {
    source: source.name,
    text: record.text,
    measured: source.harmlessTexts === undefined,
    group: record.group ?? record.id,
    attack,
    trains: mayTrain(source, record.id),
    form,
    ...flatten(rows, extra),
    signs,
    windows,
    labels: Int8Array.from(windows, ([from, to]) => (attack ? labelOf(place(from, to), spans) : 0)),
    loose: attack && spans.length === 0 && windows.length > 1,
  };
}

/** Index of the token that contains `position`, or else of the next or the last token; -1 without tokens. */
function tokenAt(ends: readonly number[], position: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle]! <= position) low = middle + 1;
    else high = middle;
  }
  return Math.min(low, ends.length - 1);
}

function flatten(
  rows: readonly Int32Array[],
  extra: ReadonlyMap<number, readonly number[]>,
): Pick<ReadDocument, 'offsets' | 'features'> {
  const offsets = new Int32Array(rows.length + 1);
  const features: Feature[] = [];
  rows.forEach((row, token) => {
    features.push(...row, ...(extra.get(token) ?? []));
    offsets[token + 1] = features.length;
  });
  return { offsets, features: Int32Array.from(features) };
}

/**
 * Label of a window: 1 if at least half of the window, or of the planted text, lies in the other; -1 if less overlaps; 0 without
 * overlap.
 */
function labelOf([start, end]: Span, spans: readonly Span[]): number {
  if (spans.length === 0) return 1;
  let covered = 0;
  let total = 0;
  for (const [from, to] of spans) {
    covered += Math.max(0, Math.min(end, to) - Math.max(start, from));
    total += to - from;
  }
  if (covered >= Math.min(total, end - start) * 0.5) return 1;
  return covered > 0 ? -1 : 0;
}
