import type { IncomingHttpHeaders } from 'node:http';
import { isObject, JsonSyntaxError, parseJson, type JsonDocument } from '../core/index.js';
import { invalidRequest } from '../http/index.js';

/** Data from the client about a call, in addition to the call itself. */
export interface CallAnnotations {
  readonly metadata?: JsonDocument;
  readonly sessionId?: string;
  /** The reference that could not be resolved, if the call belongs to an unknown session. */
  readonly sessionMissing?: string;
}

const METADATA_HEADER = 'x-service-metadata';
const SESSION_HEADER = 'x-service-session';
/** Headers in which clients send their own session id without configuration. */
const CLIENTS_SESSION_HEADERS = ['x-claude-code-session-id'];
/** The length limit is that of the database column; a session id is an identifier, so it contains no spaces. */
const SESSION_ID = /^[\x21-\x7e]{1,256}$/;

/**
 * Metadata and session of a proxied call, from its headers.
 *
 * @param conversationId the provider's own id of the conversation, used as the session if no header names one
 * @throws WeirError `invalid_request` for metadata that is not a JSON object, and for a session that is not an identifier: otherwise,
 * rules about the session would not include the call
 */
export function callAnnotations(headers: IncomingHttpHeaders, conversationId?: string): CallAnnotations {
  const metadata = readMetadata(single(headers[METADATA_HEADER]));
  const clients = CLIENTS_SESSION_HEADERS.map((name) => single(headers[name]));
  const sessionId =
    readSession(single(headers[SESSION_HEADER])) ??
    [...clients, conversationId].find((value) => value !== undefined && SESSION_ID.test(value));
  return { ...(metadata === undefined ? {} : { metadata }), ...(sessionId === undefined ? {} : { sessionId }) };
}

/** An empty header names no session. Node.js joins a repeated header with commas; the same session twice is one session. */
function readSession(header: string | undefined): string | undefined {
  if (header === undefined || header === '') return undefined;
  if (SESSION_ID.test(header)) return header;
  const [first = '', ...others] = header.split(', ');
  if (SESSION_ID.test(first) && others.every((other) => other === first)) return first;
  throw invalidRequest([{ path: SESSION_HEADER, message: 'must be 1 to 256 visible ASCII characters without spaces' }]);
}

function readMetadata(header: string | undefined): JsonDocument | undefined {
  if (header === undefined) return undefined;
  const doc = parseMetadata(header);
  if (doc === undefined || !isObject(doc.root)) {
    throw invalidRequest([{ path: METADATA_HEADER, message: 'must be a JSON object' }]);
  }
  return doc;
}

function parseMetadata(header: string): JsonDocument | undefined {
  try {
    // Node.js decodes header bytes as Latin-1, but clients write UTF-8.
    return parseJson(Buffer.from(header, 'latin1').toString('utf8'));
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
