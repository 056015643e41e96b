import type { ModelParameters } from '../../plugins/prompt-injection/model.js';
import { createScan } from '../../plugins/prompt-injection/scan.js';
import type { Document } from './vocabulary.js';

/** Scores for which figures are computed; the shipped policies use 0.7. */
const SCORES = ['0.5', '0.6', '0.7', '0.9'] as const;
type Score = (typeof SCORES)[number];

/** Figures of one source or of all: the number of texts, and the share that reaches each score. */
export interface Counted {
  readonly texts: number;
  /** Share of the texts with a finding of at least this score: recall for attacks, false positives for harmless texts. */
  readonly reached: Readonly<Record<Score, number>>;
}

/** Figures of one measurement method. */
export interface Figures {
  /** Figures by source; `harmless` likewise. */
  readonly attacks: Readonly<Record<string, Counted>>;
  readonly harmless: Readonly<Record<string, Counted>>;
  /** Mean over the sources, with equal weights. The few harmless texts in attack corpora are left out. */
  readonly macro: { readonly attacks: Counted; readonly harmless: Counted };
  /** Figures over all texts, with equal weights. */
  readonly pooled: { readonly attacks: Counted; readonly harmless: Counted };
  /** Harmonic mean of precision and recall over all texts, at each score. */
  readonly f1: Counted['reached'];
}

const ALL_CODES = new Set([
  'instruction_override',
  'role_play_jailbreak',
  'prompt_leak',
  'encoded_payload',
  'tool_hijack',
] as const);

/** The highest score of each document by the complete detector with these parameters. */
export function scoresOf(documents: readonly Document[], parameters: ModelParameters): Map<Document, number> {
  const scan = createScan({ codes: ALL_CODES }, parameters);
  return new Map(
    documents.map((document) => [document, scan(document.text).reduce((most, { score }) => Math.max(most, score), 0)]),
  );
}

export function figuresOf(scores: ReadonlyMap<Document, number>): Figures {
  const attacks = bySource(scores, true);
  const harmless = bySource(scores, false);
  const pooled = {
    attacks: count([...scores].filter(([{ attack }]) => attack)),
    harmless: count([...scores].filter(([{ attack }]) => !attack)),
  };
  const sources = Object.entries(harmless).filter(([name]) => !(name in attacks));
  return {
    attacks,
    harmless,
    macro: { attacks: mean(Object.values(attacks)), harmless: mean(sources.map(([, counted]) => counted)) },
    pooled,
    f1: reachedBy((_score, key) => {
      const hits = pooled.attacks.texts * pooled.attacks.reached[key];
      const alarms = pooled.harmless.texts * pooled.harmless.reached[key];
      return (2 * hits) / (hits + alarms + pooled.attacks.texts);
    }),
  };
}

function bySource(scores: ReadonlyMap<Document, number>, attack: boolean): Record<string, Counted> {
  const groups = Map.groupBy(
    [...scores].filter(([document]) => document.attack === attack),
    ([{ source }]) => source,
  );
  return Object.fromEntries([...groups].map(([source, list]) => [source, count(list)]));
}

function count(list: readonly (readonly [Document, number])[]): Counted {
  return {
    texts: list.length,
    reached: reachedBy((score) => list.filter(([, reached]) => reached >= score).length / list.length),
  };
}

function mean(list: readonly Counted[]): Counted {
  return {
    texts: list.reduce((sum, { texts }) => sum + texts, 0),
    reached: reachedBy((_score, key) => list.reduce((sum, { reached }) => sum + reached[key], 0) / list.length),
  };
}

function reachedBy(of: (score: number, key: Score) => number): Counted['reached'] {
  const [low, middle, high, highest] = SCORES;
  const at = (key: Score): number => of(Number(key), key);
  return { [low]: at(low), [middle]: at(middle), [high]: at(high), [highest]: at(highest) };
}

const percent = (share: number): string => (100 * share).toFixed(1).padStart(6);
const row = (name: string, { texts, reached }: Counted): string =>
  `${name.padEnd(34)}${String(texts).padStart(6)}  ${Object.values(reached).map(percent).join(' ')}`;

/** The figures as a readable table. */
export function tableOf(title: string, figures: Figures): string {
  const sources = (list: Figures['attacks']): string[] =>
    Object.entries(list).map(([name, counted]) => `  ${row(name, counted)}`.slice(2));
  return [
    title,
    `${''.padEnd(34)} texts  ${SCORES.map((score) => `>= ${score}`).join(' ')}   (%)`,
    row('RECALL, mean over sources', figures.macro.attacks),
    row('FALSE POSITIVES, mean over sources', figures.macro.harmless),
    row('recall, all texts', figures.pooled.attacks),
    row('false positives, all texts', figures.pooled.harmless),
    `${'F1, all texts'.padEnd(34)}        ${Object.values(figures.f1).map(percent).join(' ')}`,
    'recall by source',
    ...sources(figures.attacks),
    'false positives by source',
    ...sources(figures.harmless),
    '',
  ].join('\n');
}
