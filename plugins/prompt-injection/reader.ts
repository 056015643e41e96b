import { resolveOverlaps, type Finding, type SharedReading, type JointWords } from '../../src/core/plugin-api.js';
import { formOf } from './features.js';
import { createModel, type ModelParameters, type ScoredSpan } from './model.js';
import type { InjectionCode } from './phrase.js';
import { withoutRepetition } from './repetition.js';
import { createSigns, type FindSigns, type Sign } from './signs.js';

/** Finds injections in one normalised text, of every code; findings ascend and do not overlap. */
export type Reader = (text: string, shared?: SharedReading) => readonly Finding<InjectionCode>[];

/** From here on a phrase counts by itself. */
const SURE = 0.85;
/** What a phrase is worth at most that is not sure, where the model sees nothing: less than the policies' threshold. */
const DOUBTFUL = 0.65;

/** Text on each side of a stretch that is repeated. */
const AROUND = 512;

/** Phrases, odd builds and the model together; everything that is compiled or decoded happens here, once. */
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
  // The values of all words of a stretch are added up: said often, any of them that is a little suspicious would be an attack.
  const saidOnce = (text: string, stretch: ScoredSpan): readonly ScoredSpan[] => {
    if (withoutRepetition(text.slice(stretch.start, stretch.end)) === undefined) return [stretch];
    // With what stands around it: a flood of words may hide an order behind itself.
    const around = wholeWordsAround(text, stretch);
    const once = withoutRepetition(around) ?? around;
    const score = model(once, signs(once)).reduce((most, { score }) => Math.max(most, score), 0);
    return score === 0 ? [] : [{ ...stretch, score: Math.min(stretch.score, score) }];
  };
  return { read, signs };
}

/** A stretch and what stands around it, without the words that the cuts would go through. */
function wholeWordsAround(text: string, { start, end }: ScoredSpan): string {
  const isInWord = (at: number): boolean => at > 0 && at < text.length && /^\S\S$/.test(text.slice(at - 1, at + 1));
  let from = Math.max(0, start - AROUND);
  let to = Math.min(text.length, end + AROUND);
  while (from < start && isInWord(from)) from++;
  while (to > end && isInWord(to)) to--;
  return text.slice(from, to);
}

/** A phrase says where and what, the model says how likely; a stretch without any phrase stands for itself. */
function join(text: string, signs: readonly Sign[], stretches: readonly ScoredSpan[]): Finding<InjectionCode>[] {
  const named = resolveOverlaps(signs.map(({ code, start, end, score }) => ({ code, start, end, score })));
  const findings: Finding<InjectionCode>[] = [];
  const alone: ScoredSpan[] = [];
  let at = 0;
  let stretch = 0;
  // Both lists ascend and overlap in themselves nowhere, so that one walk over both is enough.
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
  // Most texts end here; only a stretch without a phrase needs the text's form.
  if (alone.length === 0) return findings;
  const code = codeOf(text);
  return [...findings, ...alone.map(({ start, end, score }) => ({ code, start, end, score }))].sort(
    (a, b) => a.start - b.start,
  );
}

/** Data, a table or a mail is not written by the one who asks: an order in it speaks to the model from inside. */
function codeOf(text: string): InjectionCode {
  return /[jtm]/.test(formOf(text)) ? 'tool_hijack' : 'instruction_override';
}
