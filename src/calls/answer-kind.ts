import { planAnswer } from '../core/index.js';
import { isFramed } from './answer-texts.js';
import { looksLikeText } from './body-form.js';
import { kindOfType } from './media-type.js';
import type { AdmittedCall } from './proxied-call.js';

/** What is known about an answer before it is read. */
export interface AnswerHead {
  readonly contentType: string | undefined;
  readonly coding: string | undefined;
  /** Its first bytes, asked for only where they count. */
  beginning(): Promise<Buffer>;
}

/** Whether a rule could change an answer, or a value is to be put back into it. */
export function mayChange({ policy, judgement }: AdmittedCall): boolean {
  return planAnswer(policy.policy, policy.detectors).mode !== 'pass' || judgement.restorable.size > 0;
}

/**
 * Whether an answer is read. Files come as `application/octet-stream`, whatever they are: where a rule could change them
 * it counts how they begin. Elsewhere they pass, however large they are.
 */
export async function isReadAnswer(
  call: AdmittedCall,
  { contentType, coding, beginning }: AnswerHead,
): Promise<boolean> {
  const kind = kindOfType(contentType);
  if (isFramed(contentType)) {
    const { unread } = call.policy.policy;
    return (call.target.governed ? unread.governed : unread.other) === 'refuse';
  }
  if (call.target.governed || contentType === undefined) return true;
  if (kind !== 'unknown') return kind !== 'binary';
  return mayChange(call) && (coding !== undefined || looksLikeText(await beginning()));
}
