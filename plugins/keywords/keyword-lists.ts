/**
 * The detector `keywords`: words and phrases that a policy lists. All lists are searched in one pass.
 */
import { z } from 'zod';

/** Limits that keep a policy small enough to be compiled and scanned in milliseconds. */
export const MAX_LISTS = 100;
export const MAX_WORDS = 5_000;
export const MAX_WORD_UNITS = 100;
export const MAX_ALL_UNITS = 50_000;

const word = z
  .string()
  .refine((text) => text.trim() === text && text !== '', 'a keyword must not be empty or begin or end with a space')
  .max(MAX_WORD_UNITS, `a keyword has at most ${MAX_WORD_UNITS} characters`);

const list = z.strictObject({
  words: z
    .array(word)
    .min(1, 'a list needs at least one keyword')
    .max(MAX_WORDS, `a list has at most ${MAX_WORDS} keywords`),
  /** Whether `Kestrel` and `kestrel` are different keywords. */
  case_sensitive: z.boolean().default(false),
  /** Whether a keyword matches only if no letter, digit or underscore is adjacent. */
  whole_words: z.boolean().default(true),
  score: z.number().gt(0).max(1).default(1),
  title: z.string().min(1).max(200).optional(),
});

const code = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'a code consists of letters, digits and underscores, such as PROJECT_NAME');

/** `lists` maps a code to its words, or to its words with search options. */
export const keywordOptions = z.strictObject({
  lists: z
    .record(
      code,
      z.preprocess((value) => (Array.isArray(value) ? { words: value as unknown[] } : value), list),
    )
    .refine((lists) => Object.keys(lists).length > 0, 'name at least one list')
    .refine((lists) => Object.keys(lists).length <= MAX_LISTS, `at most ${MAX_LISTS} lists`)
    .refine((lists) => unitsOf(lists) <= MAX_ALL_UNITS, `all lists together have at most ${MAX_ALL_UNITS} characters`),
});

export type KeywordOptions = z.output<typeof keywordOptions>;
export type KeywordList = KeywordOptions['lists'][string];

function unitsOf(lists: Readonly<Record<string, { readonly words: readonly string[] }>>): number {
  return Object.values(lists).reduce((sum, { words }) => words.reduce((units, text) => units + text.length, sum), 0);
}
