import { compilePatterns, type JointWords, type MatchInfo, type SharedReading } from '../../src/core/plugin-api.js';
import { namedFeature, type Feature } from './features.js';
import type { InjectionCode, PhrasePattern } from './phrase.js';
import { PHRASES } from './phrases.js';
import { structuralSigns } from './structure.js';

/** A phrase or an unusual structure at a position in a text, with its features for the model. */
export interface Sign {
  readonly code: InjectionCode;
  readonly start: number;
  readonly end: number;
  /** Its score without the model, 0 to 1. */
  readonly score: number;
  /** The feature of this sign, and the feature of its code. */
  readonly features: readonly [own: Feature, code: Feature];
}

/** Finds signs in normalised text; uses the shared reading of the text if there is one. */
export type FindSigns = (text: string, shared?: SharedReading) => readonly Sign[];

const codeFeature = (code: InjectionCode): Feature => namedFeature(`C${code}`);

/**
 * Creates the search for signs in normalised text, by default of all phrases. It returns signs of every code, including overlapping ones, ascending by start: the
 * model's score depends on how many different signs occur in one place.
 */
export function createSigns(words?: JointWords, patterns: readonly PhrasePattern[] = PHRASES): FindSigns {
  let found: Sign[] = [];
  let harmless: Sign[] = [];
  const ends = new Int32Array(patterns.length);
  const phrases = patterns.map((phrase, index) => {
    const { code, score, unless } = phrase;
    const features = [namedFeature(`P${phrase.regex.source}`), codeFeature(code)] as const;
    // Called for every match, before overlapping matches of other phrases are dropped. Of overlapping matches of the same phrase the
    // first is kept.
    const validate = (_match: string, { text, start, end }: MatchInfo): boolean => {
      const sign = { code, start, end, score, features };
      if (unless?.(text, start, end) === true) {
        if (start >= ends[index]!) harmless.push(sign);
        return false;
      }
      if (start >= ends[index]!) found.push(sign);
      ends[index] = Math.max(ends[index]!, end);
      return false;
    };
    return { ...phrase, validate };
  });
  const scan = compilePatterns(phrases, {
    codes: new Set(patterns.map(({ code }) => code)),
    normalise: false,
    ...(words === undefined ? {} : { words }),
  });
  return (text, shared) => {
    found = [];
    harmless = [];
    ends.fill(0);
    scan(text, undefined, shared);
    for (const build of structuralSigns(text))
      found.push({
        ...build,
        features: [namedFeature(`B${build.code}`), codeFeature(build.code)],
      });
    if (harmless.length > 0) found.push(...beside(harmless, found));
    return found.sort((a, b) => a.start - b.start || a.end - b.end);
  };
}

/** Units of text that share a window of the model, about. */
const BESIDE = 400;

/**
 * The signs in harmless places that have another sign beside them. They count, so that a licence or a badge next to an attack does not
 * lower its score.
 */
function beside(harmless: readonly Sign[], found: readonly Sign[]): Sign[] {
  return harmless.filter(({ start, end }) =>
    found.some((other) => other.start < end + BESIDE && other.end > start - BESIDE),
  );
}
