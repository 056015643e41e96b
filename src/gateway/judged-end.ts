import { ENDED_BEFORE, type JudgedAnswer } from '../calls/index.js';
import { WeirError } from '../http/index.js';

/**
 * Returns the verdict on an answer that is about to be forwarded.
 * @throws WeirError `internal_error` when the call had already ended, so that its answer was not judged
 */
export function judgedEnd(ended: JudgedAnswer | typeof ENDED_BEFORE): JudgedAnswer {
  if (ended === ENDED_BEFORE) throw new WeirError('internal_error', { cause: new Error('the call had ended already') });
  return ended;
}
