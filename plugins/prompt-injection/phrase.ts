import type { Pattern } from '../../src/core/plugin-api.js';

export type InjectionCode =
  'instruction_override' | 'role_play_jailbreak' | 'prompt_leak' | 'encoded_payload' | 'tool_hijack';

export interface PhrasePattern extends Pattern<InjectionCode> {
  /**
   * Harmless places of the phrase, such as a licence that every repository contains. Not part of the expression, because the name of the
   * phrase in the model is its expression. Reads a limited number of units around the match.
   */
  readonly unless?: (text: string, start: number, end: number) => boolean;
}

/**
 * A phrase pattern. `literals` are words that every match contains, at most `before` characters after its start; the expression is
 * tried only around them. Phrases are matched case-insensitively on text without accents, look-alikes and invisible characters. In
 * `source`, a space matches up to four separators, `<w>` a word, and `~` up to six words in between.
 */
export function phrase(
  code: InjectionCode,
  score: number,
  literals: readonly string[],
  source: string,
  before = 0,
): PhrasePattern {
  const bounded = source.replaceAll('<w>', WORD).replaceAll('~', GAP).replaceAll(' ', SPACE);
  return {
    code,
    regex: new RegExp(`(?<![a-z0-9])(?:${bounded})(?![a-z0-9])`, 'i'),
    trigger: { on: 'literals', literals, before },
    score,
  };
}

/** Separators and words have no character in common, so that there is only one way to match a text and matching stays linear. */
const SEPARATOR = String.raw`\s"'*_.,:;!?\-`;
const SPACE = String.raw`[\s"'*_.,:;\-]{1,4}`;
const WORD = `[^${SEPARATOR}]{1,24}`;
/** Up to six words without the end of a sentence. */
const GAP = String.raw`(?:${WORD}[\s"'*_,:;\-]{1,4}){0,6}?`;

/** The same phrase, ignored in the places that `unless` names. */
export function except(pattern: PhrasePattern, unless: NonNullable<PhrasePattern['unless']>): PhrasePattern {
  return { ...pattern, unless };
}

/** A phrase pattern for scripts and symbols without word boundaries. */
export function raw(
  code: InjectionCode,
  score: number,
  literals: readonly string[],
  regex: RegExp,
  before = 0,
): PhrasePattern {
  return { code, regex, trigger: { on: 'literals', literals, before }, score };
}
