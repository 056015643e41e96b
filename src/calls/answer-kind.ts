import { planAnswer } from '../core/index.js';
import { beginsWithFrame, readContent } from '../contents/index.js';
import { documentFormatsOf } from '../documents/index.js';
import { isFramed } from './answer-texts.js';
import { looksLikeText, mayBeText } from './body-form.js';
import { kindOfType, looksWide } from './media-type.js';
import type { AdmittedCall } from './proxied-call.js';

/** The properties of an answer that are known before it is read. */
export interface AnswerHead {
  readonly contentType: string | undefined;
  readonly coding: string | undefined;
  /** Whether the answer is announced as larger than an answer that is read. */
  readonly isTooLarge: boolean;
  /**
   * The first bytes of the answer, read only where they matter.
   * @param least the number of bytes to wait for, unless the answer ends before
   */
  beginning(least?: number): Promise<Buffer>;
}

/** The minimum number of bytes by which a frame is recognised. */
const LEAST_OF_FRAME = 12;
/** The number of bytes by which texts and documents are recognised: readers of PDF files search for the header in as many. */
const LEAST_OF_FILE = 1_024;
/** The formats of documents whose texts are read. */
const READ_FORMATS: ReadonlySet<string> = new Set(['pdf', 'zip', 'gzip', 'zlib', 'zstd']);

/** Whether a rule could change an answer, or a masked value has to be restored in it. */
export function mayChange({ policy, judgement }: AdmittedCall): boolean {
  return planAnswer(policy.policy, policy.detectors).mode !== 'pass' || judgement.restorable.size > 0;
}

/**
 * Whether an answer is read. An answer without a text type may still be a text or a document: where a rule could change it, its first
 * bytes decide. Where the policy refuses unread content, every answer is read. Elsewhere other files are forwarded unread, however large
 * they are, and documents that are announced as too large.
 */
export async function isReadAnswer(
  call: AdmittedCall,
  { contentType, coding, isTooLarge, beginning }: AnswerHead,
): Promise<boolean> {
  const kind = kindOfType(contentType);
  const { unread } = call.policy.policy;
  const isRefused = (call.target.governed ? unread.governed : unread.other) === 'refuse';
  if (isFramed(contentType)) {
    if (coding !== undefined || beginsWithFrame(await beginning())) return true;
    if (mayChange(call) && looksLikeText(await beginning())) return true;
    return isRefused;
  }
  if (call.target.governed || contentType === undefined || isRefused) return true;
  if (kind !== 'unknown' && kind !== 'binary') return true;
  if (!mayChange(call)) return false;
  if (coding !== undefined) return true;
  const bytes = await beginning(LEAST_OF_FILE);
  return holdsTexts(bytes) || (!isTooLarge && documentFormatsOf(bytes).some((format) => READ_FORMATS.has(format)));
}

/** Types whose content no client reads as text and to which no setting of a policy about answers applies. */
const MEDIA = /^(?:image|audio|video|font|model)\//i;

/**
 * The number of bytes that the event of an answer lists as unread if the answer is forwarded without being read. Undefined if there is
 * nothing to list: for images, audio, video and empty answers, and where no rule could change the answer, so that no rule needs its
 * content.
 * @param bytes the length of the answer
 */
export function unreadBytesOf(call: AdmittedCall, contentType: string | undefined, bytes: number): number | undefined {
  const isListed = isFramed(contentType) || (mayChange(call) && !MEDIA.test(contentType ?? ''));
  return bytes > 0 && isListed ? bytes : undefined;
}

/** Whether an answer begins as a text in any encoding, or as events in frames under another content type. */
function holdsTexts(beginning: Buffer): boolean {
  if (mayBeText(beginning) || looksWide(beginning)) return true;
  // The first characters of UTF-16 need not be ASCII. A character of UTF-32 has four bytes, and the last one may be cut off.
  if (readContent(beginning.subarray(0, beginning.length - (beginning.length % 4))).kind === 'text') return true;
  return beginning.length >= LEAST_OF_FRAME && beginsWithFrame(beginning);
}
