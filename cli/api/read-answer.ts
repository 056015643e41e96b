import type { z } from 'zod';
import { ApiError } from './api-error.js';

/** Validates a response against a schema. */
export function readAnswer<Shape extends z.ZodType>(shape: Shape, answer: unknown): z.infer<Shape> {
  const read = shape.safeParse(answer);
  if (read.success) return read.data;
  throw new ApiError(
    0,
    'bad_answer',
    'the answer does not have the format of this version of weir: does the server run another version?',
  );
}
