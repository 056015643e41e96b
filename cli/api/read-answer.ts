import type { z } from 'zod';
import { ApiError } from './api-error.js';

/**
 * Validates a response against a schema.
 *
 * @param check for a request that changed something: the command that shows the change
 */
export function readAnswer<Shape extends z.ZodType>(shape: Shape, answer: unknown, check?: string): z.infer<Shape> {
  const read = shape.safeParse(answer);
  if (read.success) return read.data;
  const done = 'The server has executed the request: check with';
  const next = check === undefined ? '' : ` ${done} ${check} before you repeat it`;
  throw new ApiError(
    0,
    'bad_answer',
    `the answer does not have the format of this version of weir: does the server run another version?${next}`,
  );
}
