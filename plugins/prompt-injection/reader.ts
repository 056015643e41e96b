import { resolveOverlaps, type Finding, type SharedReading, type JointWords } from '../../src/core/plugin-api.js';
import { formOf } from './features.js';
import { isOfIdentifiers, withWordsOfIdentifiers } from './identifier-words.js';
import { createModel, type ModelParameters, type ScoredSpan } from './model.js';
import type { InjectionCode } from './phrase.js';
import { withoutRepetition } from './repetition.js';
import { createSigns, type FindSigns, type Sign } from './signs.js';

/** Finds injections of every code in one normalised text; findings ascend and do not overlap. */
export type Reader = (text: string, shared?: SharedReading) => readonly Finding<InjectionCode>[];

/** From this score a phrase counts without support by the model. */
const SURE = 0.85;
/** Maximum score of a less certain phrase without support by the model, below the policies' threshold. */
const DOUBTFUL = 0.65;

/** Units of context on each side of a span with repetitions. */
const AROUND = 512;

/** Combines phrases, unusual structures and the model. All compilation and decoding happens here, once. */
export function createReader(
  parameters: ModelParameters,
  words?: JointWords,
): { readonly read: Reader; readonly signs: FindSigns } {
  const signs = createSigns(words);
  const model = createModel(parameters);
  const read: Reader = (text, shared) => {
    const found = signs(text, shared);
    return join(
      text,
      found,
      model(text, found).flatMap((stretch) => saidOnce(text, stretch)),
    );
  };
  // A span's value is the sum over its words, so a slightly suspicious word repeated often would look like an attack, and so would the
  // words of an identifier, which its signs turn into clauses.
  const saidOnce = (text: string, stretch: ScoredSpan): readonly ScoredSpan[] => {
    const part = text.slice(stretch.start, stretch.end);
    const isOfNames = isOfIdentifiers(part);
    if (!isOfNames && withoutRepetition(part) === undefined) return [stretch];
    // Includes the context, since an instruction can follow a flood of repeated words.
    const around = wholeWordsAround(text, stretch);
    const plain = isOfNames ? withWordsOfIdentifiers(around) : around;
    const once = withoutRepetition(plain) ?? plain;
    const score = model(once, signs(once)).reduce((most, { score }) => Math.max(most, score), 0);
    return score === 0 ? [] : [{ ...stretch, score: Math.min(stretch.score, score) }];
  };
  return { read, signs };
}

/** A span with its context, without words that are truncated at the ends. */
function wholeWordsAround(text: string, { start, end }: ScoredSpan): string {
  const isInWord = (at: number): boolean => at > 0 && at < text.length && /^\S\S$/.test(text.slice(at - 1, at + 1));
  let from = Math.max(0, start - AROUND);
  let to = Math.min(text.length, end + AROUND);
  while (from < start && isInWord(from)) from++;
  while (to > end && isInWord(to)) to--;
  return text.slice(from, to);
}

/** Phrases determine range and code, the model determines the score; a span of the model without a phrase is a separate finding. */
function join(text: string, signs: readonly Sign[], stretches: readonly ScoredSpan[]): Finding<InjectionCode>[] {
  const named = resolveOverlaps(signs.map(({ code, start, end, score }) => ({ code, start, end, score })));
  const findings: Finding<InjectionCode>[] = [];
  const alone: ScoredSpan[] = [];
  let at = 0;
  let stretch = 0;
  // Both lists ascend without overlaps, so one pass over both is enough.
  for (const sign of named) {
    while (stretch < stretches.length && stretches[stretch]!.end <= sign.start) {
      if (at <= stretch) alone.push(stretches[stretch]!);
      stretch++;
    }
    let score = sign.score >= SURE ? sign.score : Math.min(sign.score, DOUBTFUL);
    for (let other = stretch; other < stretches.length && stretches[other]!.start < sign.end; other++) {
      score = Math.max(score, stretches[other]!.score);
      at = Math.max(at, other + 1);
    }
    findings.push({ ...sign, score });
  }
  for (; stretch < stretches.length; stretch++) if (at <= stretch) alone.push(stretches[stretch]!);
  // Most texts return here; only a span without a phrase needs the text's form.
  if (alone.length === 0) return findings;
  const code = codeOf(text);
  return [...findings, ...alone.map(({ start, end, score }) => ({ code, start, end, score }))].sort(
    (a, b) => a.start - b.start,
  );
}

/** Data, tables and mails are usually not written by the user, so an order in them is an attempt to hijack the model. */
function codeOf(text: string): InjectionCode {
  return /[jtm]/.test(formOf(text)) ? 'tool_hijack' : 'instruction_override';
}
