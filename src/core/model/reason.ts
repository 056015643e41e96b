/** Reasons that people give for what they do. */
import { z } from 'zod';

/** A letter or digit that can be seen: the fillers of Hangul are letters, but invisible. */
const READABLE = /(?![\u115f\u1160\u3164\uffa0])[\p{L}\p{N}]/u;

/**
 * A reason that is kept with a change: a text in which something can be read. No database stores NUL characters in a text.
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
