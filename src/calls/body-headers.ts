import { invalidRequest } from '../http/index.js';
import { contentTypeOf, type ContentType } from './content-type.js';
import { UnreadableBody } from './unreadable-body.js';

/** The headers of a request that describe its body. */
export interface BodyHeaders {
  readonly type?: ContentType;
  readonly coding?: string;
  /** Whether the body is a piece of a file in a resumable upload of Google (https://ai.google.dev/api/files), whatever its content type. */
  readonly isPiece: boolean;
}

/** Headers that must not be repeated: readers differ in whether they use the first line, the last, or both. */
const ONCE: ReadonlySet<string> = new Set([
  'authorization',
  'content-disposition',
  'content-encoding',
  'content-length',
  'content-range',
  'content-transfer-encoding',
  'content-type',
  'host',
  'x-api-key',
  'x-goog-upload-command',
  'x-request-id',
  'x-service-key',
]);

/** `upload`, `upload, finalize`; the command of the first request, whose body describes the file in JSON, is `start`. */
const SENDS_PIECE = /(?:^|,)\s*upload\s*(?:,|$)/i;

/**
 * @param rawHeaders alternating names and values, as Node.js provides them
 * @throws WeirError `invalid_request` for headers that are given twice, and for a content type that readers could interpret
 * differently
 */
export function bodyHeaders(rawHeaders: readonly string[]): BodyHeaders {
  const seen = new Map<string, string>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    if (!ONCE.has(name)) continue;
    if (seen.has(name)) throw invalidRequest([{ path: name, message: 'must be sent only once' }]);
    seen.set(name, rawHeaders[index + 1]!);
  }
  if (seen.has('content-transfer-encoding')) {
    throw invalidRequest([{ path: 'content-transfer-encoding', message: 'must be absent: HTTP does not define it' }]);
  }
  const type = typeOf(seen.get('content-type'));
  const coding = seen.get('content-encoding');
  const isPiece = SENDS_PIECE.test(seen.get('x-goog-upload-command') ?? '');
  return { ...(type === undefined ? {} : { type }), ...(coding === undefined ? {} : { coding }), isPiece };
}

function typeOf(header: string | undefined): ContentType | undefined {
  try {
    return contentTypeOf(header?.trim() === '' ? undefined : header);
  } catch (error) {
    if (!(error instanceof UnreadableBody)) throw error;
    throw invalidRequest([{ path: error.path, message: error.message }]);
  }
}
