/**
 * JSON with the position of every value, so that texts can be replaced in place. Everything else in a document keeps
 * its bytes.
 */
import { decodingBase64, encodeBase64 } from '../coding/base64.js';
import { bytesOfText, readingTextOfBytes } from '../coding/text-coding.js';
import type { Steps } from '../steps/steps.js';

export interface Base64Text {
  readonly text: string;
  /** Another text in the same coding, alphabet, padding and lines. */
  readonly write: (text: string) => string;
}

/**
 * The text that base64 in a string stands for, in steps.
 *
 * @param charset what its bytes are said to be
 * @returns undefined for what is no base64, or holds no text
 */
export function* readingBase64Text(
  value: string,
  start: number,
  end: number,
  charset?: string,
): Steps<Base64Text | undefined> {
  const base64 = yield* decodingBase64(value, start, end);
  const read = base64 && (yield* readingTextOfBytes(base64.bytes, charset));
  if (base64 === undefined || read === undefined) return undefined;
  return { text: read.text, write: (text) => encodeBase64(bytesOfText(text, read.coding), base64.spelling) };
}
