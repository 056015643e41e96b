/** Names of the objects that people manage. */
import { z } from 'zod';

/** A visible character: a letter, digit, punctuation mark or symbol, except blank ones (Hangul fillers, blank Braille). */
const VISIBLE = /(?![\u115f\u1160\u2800\u3164\uffa0])[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * A schema for names: one line with at least one visible character.
 *
 * @param limit in UTF-16 units
 */
export function nameUpTo(limit: number): z.ZodString {
  return z
    .string()
    .min(1)
    .max(limit)
    .regex(/^[^\p{Cc}\p{Cs}]+$/u, 'must be one line of text')
    .refine((text) => VISIBLE.test(text), 'must contain a visible character');
}
