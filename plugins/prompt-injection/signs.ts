import { compilePatterns, type SharedReading, type JointWords } from '../../src/core/plugin-api.js';
import { namedFeature, type Feature } from './features.js';
import type { InjectionCode } from './phrase.js';
import { PHRASES } from './phrases.js';
import { structuralSigns } from './structure.js';

/** A phrase or an unusual structure at a position in a text, and the features with which the model weighs it. */
export interface Sign {
  readonly code: InjectionCode;
  readonly start: number;
  readonly end: number;
  /** What it is worth alone, 0 to 1. */
  readonly score: number;
  /** That of the one sign, and that of its code. */
  readonly features: readonly [own: Feature, code: Feature];
}

/** Finds signs in normalised text; what detectors share about a text is used where there is such. */
export type FindSigns = (text: string, shared?: SharedReading) => readonly Sign[];

const codeFeature = (code: InjectionCode): Feature => namedFeature(`C${code}`);

/**
 * Builds the search for signs in normalised text: all of them, of every code, overlapping ones too, ascending by start.
 * How sure the model is depends on how many different signs meet at one place.
 */
export function createSigns(words?: JointWords): FindSigns {
  let found: Sign[] = [];
  const ends = new Int32Array(PHRASES.length);
  const phrases = PHRASES.map((phrase, index) => {
    const { code, score } = phrase;
    const features = [namedFeature(`P${phrase.regex.source}`), codeFeature(code)] as const;
    // Asked about every match, before those of other phrases are dropped for it; of its own the first stands.
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
