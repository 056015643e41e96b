/**
 * JSON with the position of every value, so that texts can be replaced in place. Everything else in a document keeps
 * its bytes.
 */
import { decodingBase64, encodeBase64 } from '../coding/base64.js';
import { bytesOfText, readingTextOfBytes } from '../coding/text-coding.js';
import type { Steps } from '../steps/steps.js';

export interface Base64Text {
  readonly text: string;
  /** Encodes another text with the same character encoding, alphabet, padding and line length. */
  readonly write: (text: string) => string;
}

/**
 * Decodes a range of a string that contains base64 of a text, in steps.
 *
 * @param charset the declared character encoding of the bytes
 * @returns undefined if the range is not base64, or its bytes are not text
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
