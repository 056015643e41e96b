import { compilePatterns, type SharedReading, type JointWords } from '../../src/core/plugin-api.js';
import { namedFeature, type Feature } from './features.js';
import type { InjectionCode } from './phrase.js';
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
 * Creates the search for signs in normalised text. It returns signs of every code, including overlapping ones, ascending by start: the
 * model's score depends on how many different signs occur in one place.
 */
export function createSigns(words?: JointWords): FindSigns {
  let found: Sign[] = [];
  const ends = new Int32Array(PHRASES.length);
  const phrases = PHRASES.map((phrase, index) => {
    const { code, score } = phrase;
    const features = [namedFeature(`P${phrase.regex.source}`), codeFeature(code)] as const;
    // Called for every match, before overlapping matches of other phrases are dropped. Of overlapping matches of the same phrase the
    // first is kept.
    const validate = (_match: string, { start, end }: { start: number; end: number }): boolean => {
      if (start >= ends[index]!) found.push({ code, start, end, score, features });
      ends[index] = Math.max(ends[index]!, end);
      return false;
    };
    return { ...phrase, validate };
  });
  const scan = compilePatterns(phrases, {
    codes: new Set(PHRASES.map(({ code }) => code)),
    normalise: false,
    ...(words === undefined ? {} : { words }),
  });
  return (text, shared) => {
    found = [];
    ends.fill(0);
    scan(text, undefined, shared);
    for (const build of structuralSigns(text))
      found.push({
        ...build,
        features: [namedFeature(`B${build.code}`), codeFeature(build.code)],
      });
    return found.sort((a, b) => a.start - b.start || a.end - b.end);
  };
}
