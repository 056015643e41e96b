import type { Edit } from '../core/index.js';
import type { AnswerTexts } from './answer-contents.js';

/** The form of providers' error types. */
const ERROR_TYPE = /^[a-z][a-z0-9_.-]{0,63}$/i;

/** Whether an answer with this status is an error of its provider: it is judged like any answer, and recorded as `ai.error`. */
export function isErrorStatus(status: number): boolean {
  return status >= 400;
}

/**
 * The reason that is recorded for a provider's error: its type.
 * @param masks the masks of the answer's texts: a type that would have to be masked is not used
 */
export function errorReason({ call }: AnswerTexts, masks: readonly Edit[]): string {
  const place = call.segments.findIndex(({ path, key }) => path === 'error.type' && key === 'type');
  const type = call.segments[place]?.text;
  const isUsed = type !== undefined && ERROR_TYPE.test(type) && masks.every(({ segment }) => segment !== place);
  return isUsed ? type : 'upstream_error';
}
