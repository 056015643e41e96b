import { isUtf8 } from 'node:buffer';
import { joinBeside, NOTHING_BESIDE, readingDecodedValue, type EmbeddedReading } from '../contents/index.js';
import { atOnce, JsonSyntaxError, oneStep, parsingJson, type JsonDocument, type Steps } from '../core/index.js';
import { invalidRequest, malformedJson } from '../http/index.js';
import { readingAsForm, readingBodyForm, readingMarkedJson, withoutMark } from './body-form.js';
import type { TextBody } from './body-pieces.js';
import { isTwoByteSet, requireAsciiSet, type ContentType } from './content-type.js';
import { UnreadableBody } from './unreadable-body.js';

const FIRST_BEYOND_ASCII = 0x80;

/** The content of a request's body. */
export interface ReadBody {
  /** The texts of the body; absent when it has no text that could be changed. */
  readonly doc?: JsonDocument;
  /** The body itself when it is not one JSON text. */
  readonly textBody?: TextBody;
  /** The content of the body that is not in `doc`: other readings of its texts, and files. */
  readonly beside: EmbeddedReading;
  /** Whether the body is an upload with the field `purpose`. */
  readonly hasPurpose: boolean;
  /** The bytes that were read of a body with a content coding; absent if the body was read as it came. */
  readonly plainBody?: Buffer;
}

/**
 * Reads a body without content coding.
 *
 * @param promised whether the body has to be JSON
 * @throws WeirError `invalid_request` for a body that cannot be read as its receiver would read it
 */
export function readBody(body: Buffer, type: ContentType | undefined, promised: boolean): ReadBody {
  return atOnce(readingBody(body, type, promised));
}

/** `readBody` in steps, because reading a body of megabytes takes as long as many small calls. */
export function* readingBody(body: Buffer, type: ContentType | undefined, promised: boolean): Steps<ReadBody> {
  try {
    if (isUtf8(body)) {
      const json = yield* jsonIn(body, promised);
      if (json !== undefined) {
        requireAsciiSet(type);
        // If a byte of a quote or a backslash can be half of another character, a receiver may see another JSON structure.
        if (isTwoByteSet(type) && body.some((byte) => byte >= FIRST_BEYOND_ASCII)) {
          throw new UnreadableBody('must be text in UTF-8', 'content-type');
        }
        const form = yield* readingAsForm(body, type);
        return { ...json, beside: promised ? form : joinBeside([form, yield* readingAsFile(body)]), hasPurpose: false };
      }
    } else if (promised) {
      throw invalidRequest([{ path: '', message: 'must be UTF-8' }]);
    }
    const { textBody, beside, hasPurpose } = yield* readingBodyForm(body, type);
    return { ...(textBody === undefined ? {} : { doc: textBody.doc, textBody }), beside, hasPurpose };
  } catch (error) {
    if (error instanceof UnreadableBody) throw invalidRequest([{ path: error.path, message: error.message }]);
    throw error instanceof JsonSyntaxError ? malformedJson(error) : error;
  }
}

export const NO_BODY: ReadBody = { beside: NOTHING_BESIDE, hasPurpose: false };

/** Reads the document that JSON is for a receiver that opens it as a file: an upload can be a PDF file in ASCII, or a page. In steps. */
function* readingAsFile(body: Buffer): Steps<EmbeddedReading> {
  return yield* readingDecodedValue(withoutMark(body), { path: 'body', role: 'other' });
}

type JsonBody = Pick<ReadBody, 'doc' | 'textBody'>;

/** @throws JsonSyntaxError if the body has to be JSON and is not, or may be JSON but is over a limit */
function* jsonIn(body: Buffer, promised: boolean): Steps<JsonBody | undefined> {
  try {
    const textBody = yield* readingMarkedJson(body);
    if (textBody !== undefined) return { doc: textBody.doc, textBody };
    const text = yield* oneStep(() => body.toString('utf8'));
    return { doc: yield* parsingJson(text) };
  } catch (error) {
    // A text over a limit may still be JSON for the provider, whatever its content type.
    if (error instanceof JsonSyntaxError && !promised && !error.overLimit) return undefined;
    throw error;
  }
}
