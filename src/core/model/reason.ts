/** Reasons that people give for their changes. */
import { z } from 'zod';

/** A letter or digit that can be seen: the fillers of Hangul are letters, but invisible. */
const READABLE = /(?![\u115f\u1160\u3164\uffa0])[\p{L}\p{N}]/u;

/**
 * A schema for a reason that is stored with a change: a text with at least one visible letter or digit. It must not contain NUL characters,
 * which no database stores in a text.
 *
 * @param limit in UTF-16 units
 */
export function reasonUpTo(limit: number): z.ZodString {
  return z
    .string()
    .min(1)
    .max(limit)
    .refine((text) => READABLE.test(text), 'must contain a letter or a digit')
    .refine((text) => !text.includes('\0'), 'must contain no NUL character');
}
