import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { atOnce, parsingJson, type JsonDocument, type Steps } from '../core/index.js';
import { invalidRequest } from './weir-error.js';

/** `application/json` or `application/…+json`; if it has a charset parameter, it must be UTF-8. */
const JSON_TYPE = /^application\/(?:json|[a-z0-9.!#$&^_-]+\+json)$/i;
const PARAMETER = /^\s*([a-z0-9_-]+)=(?:"([^"]*)"|([^\s";]*))\s*$/i;

/**
 * Parses the request's body as a JSON document with positions. Every body reaches handlers as a buffer; only this function decides
 * whether it is JSON.
 *
 * @throws {WeirError} 422 for a wrong content type, an encoding, bytes that are not UTF-8, an empty or malformed body
 */
export function readJsonBody(request: FastifyRequest): JsonDocument {
  return atOnce(readingJsonBody(request));
}

/** `readJsonBody` in steps. */
export function* readingJsonBody(request: FastifyRequest): Steps<JsonDocument> {
  return yield* parsingJson(jsonText(request, []).text);
}

/** Content types in use for lines of JSON; none of them is registered. https://github.com/ndjson/ndjson-spec, https://jsonlines.org */
export const LINES_TYPES = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'] as const;

/**
 * The text of a body that is declared as JSON, or as lines of JSON.
 *
 * @param lines content types that declare lines of JSON
 * @throws {WeirError} 422 for a wrong content type, an encoding, bytes that are not UTF-8, an empty body
 */
export function jsonText(
  request: FastifyRequest,
  lines: readonly string[],
): { readonly text: string; readonly type: 'json' | 'lines' } {
  const type = jsonTypeOf(request.headers['content-type'], lines);
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw invalidRequest([
      { path: 'content-encoding', message: 'must be absent: only uncompressed bodies are accepted' },
    ]);
  }
  const body = request.body;
  if (!Buffer.isBuffer(body) || body.length === 0) {
    throw invalidRequest([{ path: '', message: 'must contain a JSON object' }], 'The body is empty');
  }
  if (!isUtf8(body)) throw invalidRequest([{ path: '', message: 'must be UTF-8' }], 'The body is not valid UTF-8');
  // A byte order mark is not JSON, but some clients always send one (RFC 8259, section 8.1, lets parsers ignore it).
  const hasMark = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
  return { text: body.toString('utf8', hasMark ? 3 : 0), type };
}

function jsonTypeOf(header: string | undefined, lines: readonly string[]): 'json' | 'lines' {
  const [name = '', ...parameters] = (header ?? '').split(';');
  const type = name.trim().toLowerCase();
  if (parameters.every(isAcceptableParameter)) {
    if (JSON_TYPE.test(type)) return 'json';
    if (lines.includes(type)) return 'lines';
  }
  const allowed = ['application/json', ...lines.slice(0, 1)].join(' or ');
  throw invalidRequest([{ path: 'content-type', message: `must be ${allowed}` }]);
}

function isAcceptableParameter(text: string): boolean {
  if (text.trim() === '') return true;
  const match = PARAMETER.exec(text);
  if (match === null) return false;
  return match[1]?.toLowerCase() !== 'charset' || /^utf-?8$/i.test(match[2] ?? match[3] ?? '');
}
