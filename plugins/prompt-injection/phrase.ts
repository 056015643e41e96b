import type { Pattern } from '../../src/core/plugin-api.js';

export type InjectionCode =
  'instruction_override' | 'role_play_jailbreak' | 'prompt_leak' | 'encoded_payload' | 'tool_hijack';

export type PhrasePattern = Pattern<InjectionCode>;

/**
 * A phrase pattern. `literals` are words that every match contains, at most `before` characters after its start; the
 * expression is tried only around them. Phrases are matched on text without accents, look-alikes and invisible
 * characters, case ignored. In `source` a space stands for up to four separators, `<w>` for a word,
 * `~` for up to six words in between.
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

/** Separators and words share no character, so that a text can be read in one way only and matching stays linear. */
const SEPARATOR = String.raw`\s"'*_.,:;!?\-`;
const SPACE = String.raw`[\s"'*_.,:;\-]{1,4}`;
const WORD = `[^${SEPARATOR}]{1,24}`;
/** Up to six words; a sentence may not end inside. */
const GAP = String.raw`(?:${WORD}[\s"'*_,:;\-]{1,4}){0,6}?`;

/** For scripts and signs without word boundaries. */
export function raw(
  code: InjectionCode,
  score: number,
  literals: readonly string[],
  regex: RegExp,
  before = 0,
): PhrasePattern {
  return { code, regex, trigger: { on: 'literals', literals, before }, score };
}
