/** The end of a call, as reported by its client. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { unpacked, type UnpackedLimits } from '../calls/index.js';
import { checked, invalidRequest } from '../http/index.js';

const ENDS = ['complete', 'aborted', 'error', 'unsent'] as const;
const ERRORS = ['upstream_unreachable', 'upstream_timeout'] as const;

export interface ReportedAnswer {
  readonly call: string;
  /** The provider's status. */
  readonly status?: number;
  readonly ended: (typeof ENDS)[number];
  readonly error: (typeof ERRORS)[number];
  readonly contentType?: string;
  readonly coding?: string;
  /** Time from sending the request to the last byte of its answer, as measured by its client. */
  readonly latencyMs?: number;
  /** The body as received. */
  readonly body: Buffer;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MAX_LATENCY_MS = 1_000_000_000;
const MOST_ITEMS = 100;
const LONGEST_HEAD_BYTES = 4_096;
const LINE_END = 0x0a;
const ANSWERS_TYPE = 'application/vnd.weir.answers';

const statusOf = z.int('must be a status from 100 to 599').min(100).max(599);
const latencyOf = z.number('must be milliseconds').min(0).max(MAX_LATENCY_MS);
const HEAD = z.strictObject({
  call: z.string().regex(UUID, 'must be the `x-weir-call` of the call'),
  status: statusOf.optional(),
  ended: z.enum(ENDS).default('complete'),
  error: z.enum(ERRORS).default('upstream_unreachable'),
  content_type: z.string().max(1_024).optional(),
  content_encoding: z.string().max(64).optional(),
  latency_ms: latencyOf.optional(),
});
const ITEM_HEAD = HEAD.extend({ length: z.int('must be the number of bytes that follow').min(0) });

/** @throws WeirError `invalid_request` that names the header */
export function reportedByHeaders(request: FastifyRequest, call: string): ReportedAnswer {
  const { headers } = request;
  const values = {
    call,
    status: numberIn(headers['x-weir-status']),
    ended: headers['x-weir-ended'],
    error: headers['x-weir-error'],
    content_type: headers['content-type'],
    content_encoding: headers['content-encoding'],
    latency_ms: numberIn(headers['x-weir-latency-ms']),
  };
  const parsed = HEAD.safeParse(values);
  if (!parsed.success) {
    const name = (path: PropertyKey | undefined): string => `x-weir-${String(path).replace('_', '-')}`;
    throw invalidRequest(parsed.error.issues.map(({ path, message }) => ({ path: name(path[0]), message })));
  }
  return reportedAnswerOf(parsed.data, Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0), 'x-weir-status');
}

/** The answers in one body. */
export interface ReportedBatch {
  readonly answers: readonly ReportedAnswer[];
  /** The bytes of the body after it was unpacked; 0 if it was not packed. */
  readonly unpackedBytes: number;
}

/**
 * Reads the answers in one body: each is a line of JSON, as many bytes as that line declares, and a line end.
 * @throws WeirError `invalid_request`, `payload_too_large`; the error of `limits.reach`
 */
export async function reportedInBatch(request: FastifyRequest, limits: UnpackedLimits): Promise<ReportedBatch> {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== ANSWERS_TYPE) throw invalidRequest([{ path: 'content-type', message: `must be ${ANSWERS_TYPE}` }]);
  const sent = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const body = await unpacked(sent, request.headers['content-encoding'], limits);
  return { answers: readBatch(body), unpackedBytes: body === sent ? 0 : body.length };
}

/** @throws WeirError `invalid_request` that names the item */
export function readBatch(body: Buffer): ReportedAnswer[] {
  const items: ReportedAnswer[] = [];
  for (let at = 0; at < body.length;) {
    const place = `answers[${items.length}]`;
    if (items.length === MOST_ITEMS) {
      throw invalidRequest([{ path: place, message: `exceeds the limit of ${MOST_ITEMS} answers` }]);
    }
    const lineEnd = body.subarray(at, at + LONGEST_HEAD_BYTES).indexOf(LINE_END);
    if (lineEnd < 0) throw invalidRequest([{ path: place, message: 'must begin with a line of JSON' }]);
    const line = parsed(body.toString('utf8', at, at + lineEnd));
    const head = checked(ITEM_HEAD, line, ['answers', items.length]);
    const from = at + lineEnd + 1;
    const to = from + head.length;
    if (body[to] !== LINE_END) {
      throw invalidRequest([{ path: `${place}.length`, message: 'must be the number of bytes up to a line end' }]);
    }
    items.push(reportedAnswerOf(head, body.subarray(from, to), `${place}.status`));
    at = to + 1;
  }
  if (items.length === 0) throw invalidRequest([{ path: 'answers', message: 'must contain an answer' }]);
  return items;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

function reportedAnswerOf(head: z.infer<typeof HEAD>, body: Buffer, statusPath: string): ReportedAnswer {
  const { call, status, ended, error, content_type, content_encoding, latency_ms } = head;
  const hasAnswer = ended === 'complete' || ended === 'aborted';
  if (status === undefined && hasAnswer) throw invalidRequest([{ path: statusPath, message: 'is required' }]);
  return {
    ...{ call, ended, error, body },
    ...(status === undefined ? {} : { status }),
    ...(content_type === undefined ? {} : { contentType: content_type }),
    ...(content_encoding === undefined ? {} : { coding: content_encoding }),
    ...(latency_ms === undefined ? {} : { latencyMs: latency_ms }),
  };
}

/** The number in a header; anything else is returned as text, which the schema refuses. */
function numberIn(header: string | string[] | undefined): number | string | undefined {
  if (header === undefined) return undefined;
  return typeof header === 'string' && /^\d{1,12}(?:\.\d{1,6})?$/.test(header) ? Number(header) : String(header);
}
