import { joinBeside, NOTHING_BESIDE, readingEmbedded, withBeside, withRequestFilesRead } from '../contents/index.js';
import {
  decodingRequest,
  findingPrompts,
  NO_TEXTS,
  type DecodedCall,
  type JsonDocument,
  type RouteFacts,
  type Segment,
} from '../core/index.js';
import type { DocumentReader } from '../documents/index.js';
import { invalidRequest, WeirError } from '../http/index.js';
import { runCooperatively } from '../judgement/index.js';
import { bodyHeaders, type BodyHeaders } from './body-headers.js';
import { envelopeTexts } from './call-envelope.js';
import { CodingError, unpackBody, type UnpackedLimits } from './content-coding.js';
import { PROXY_PREFIX, proxyTarget, type ProxyTarget } from './proxy-target.js';
import { readBody, type ReadBody } from './read-body.js';

/** `application/json`, `application/…+json`. */
const JSON_TYPE = /[/+]json$/;

/**
 * Collects the texts of a body, of the request's parts outside of the body, and of the body's files.
 *
 * @param envelope texts outside of the body, such as those of the URL
 * @param asker the account and key, which take turns with others at reading documents
 * @throws WeirError `overloaded` while too many documents wait
 */
export async function callOfBody(
  { doc, beside, hasPurpose }: ReadBody,
  { dialect, facts, governed, takesUploads }: Pick<ProxyTarget, 'dialect' | 'facts' | 'governed' | 'takesUploads'>,
  envelope: readonly Segment[],
  documents: DocumentReader,
  asker: readonly string[],
): Promise<DecodedCall> {
  const call = doc === undefined ? NO_TEXTS : withRoute(await runCooperatively(decodingRequest(dialect, doc)), facts);
  const embedded = doc === undefined ? [] : [await runCooperatively(readingEmbedded(doc, call))];
  const all = joinBeside([beside, ...embedded, { ...NOTHING_BESIDE, texts: envelope }]);
  const read = await withRequestFilesRead(all, documents, asker);
  const isForModel =
    governed || hasPurpose || takesUploads || (doc !== undefined && (await runCooperatively(findingPrompts(doc.root))));
  return withBeside(call, read, isForModel);
}

/** Sets the properties that the route defines; the route has precedence over the body. */
function withRoute(call: DecodedCall, { model, streams }: RouteFacts): DecodedCall {
  return { ...call, ...(model !== undefined && { model }), ...(streams === true && { stream: true }) };
}

/** Whether a body has to be JSON. Google's clients send the bytes of any file with the content type of JSON. */
export function isPromisedJson(
  { governed, takesUploads }: Pick<ProxyTarget, 'governed' | 'takesUploads'>,
  { type, isPiece }: Pick<BodyHeaders, 'type' | 'isPiece'>,
): boolean {
  return governed || (JSON_TYPE.test(type?.type ?? '') && !(takesUploads && isPiece));
}

/**
 * @throws WeirError `payload_too_large`, `invalid_request` for a body that does not match its content coding; the error of `limits.reach`
 */
export async function unpacked(body: Buffer, coding: string | undefined, limits: UnpackedLimits): Promise<Buffer> {
  try {
    return await unpackBody(body, coding, limits);
  } catch (error) {
    if (!(error instanceof CodingError)) throw error;
    if (error.problem === 'too_large') throw new WeirError('payload_too_large');
    throw invalidRequest([
      { path: 'content-encoding', message: 'must be gzip, deflate, br or zstd and match the body' },
    ]);
  }
}

/** A request as it would be sent over the network. */
export interface RawRequest {
  readonly body: Buffer;
  /** The path below a provider's base URL, with the query. */
  readonly path: string;
  /** Alternating names and values. */
  readonly headers: readonly string[];
  readonly limits: UnpackedLimits;
}

/**
 * Reads a raw request as the proxy does, for previews of a judgement.
 *
 * @throws WeirError for a request that the proxy refuses to read
 */
export async function callOfRequest(
  { body, path, headers, limits }: RawRequest,
  documents: DocumentReader,
): Promise<{ readonly call: DecodedCall; readonly doc?: JsonDocument }> {
  const provider = { id: 'provider', style: 'openai', baseUrl: 'http://localhost' } as const;
  const target = proxyTarget(`${PROXY_PREFIX}${provider.id}${path}`, 'POST', [provider]);
  const about = bodyHeaders(headers);
  const plain = await unpacked(body, about.coding, limits);
  const read = readBody(plain, about.type, isPromisedJson(target, about));
  const call = await callOfBody(read, target, envelopeTexts(target, headers), documents, ['here']);
  return { call, ...(read.doc === undefined ? {} : { doc: read.doc }) };
}
