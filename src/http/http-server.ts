/** The Fastify server of all routes: limits, security headers, ids, one body parser, one log line per request. */
import { maxHeaderSize } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { AppConfig } from '../config/index.js';
import { closeWhenUnread } from './close-when-unread.js';
import { unsentPayload } from './head-answers.js';
import type { ConnectionDrain } from './connection-drain.js';
import { errorAnswer } from './error-answer.js';
import { sendError } from './error.filter.js';
import { withinCall } from '../telemetry/index.js';
import { VERSION } from '../version.js';
import { READ_AHEAD_BYTES } from './listening-sockets.js';
import type { Logger } from './logger.js';
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.js';
import { finishRequest, routeOf, statusOf, type RequestObserver } from './request-log.js';
import { securityHeaders } from './security-headers.js';
import { uuidV7 } from './uuid-v7.js';
import { invalidRequest, WeirError } from './weir-error.js';

/** The fields that this folder adds to each request. */
const REQUEST_FIELDS: readonly (keyof FastifyRequest)[] = ['hasSettledId', 'standInId', 'notedSubject'];

const BYTES_PER_KIB = 1024;
const KEEP_ALIVE_MS = 72_000;
/** A client that takes longer for its headers is assumed to be hostile. */
const HEADERS_TIMEOUT_MS = 20_000;
/** How often Node checks for clients that are too slow. */
const CHECK_EVERY_MS = 5_000;
const PROXY_PREFIX = '/proxy/';
const CALLS_PREFIX = '/v1/calls/';
const POLICIES_PREFIX = '/v1/policies/';
/** In the syntax of route patterns, where two colons are an escaped one. */
const BATCH_ROUTE = '/v1/events::batch';
/** A batch may be as large as this number of events of the maximum size. */
const EVENTS_OF_A_BATCH = 8;
const AUTH_PREFIX = '/auth/';
const WEBHOOKS_PREFIX = '/webhooks/';
const API_PREFIX = '/v1/';
const EVENTS_ROUTE = '/v1/events';
const EVALUATION = '/evaluate';
/** From this header, an open page of the dashboard learns that the service was updated. */
const VERSION_HEADER = 'x-weir-version';
/** Enough for an address and passwords; small, because anybody may send such a body. */
const AUTH_BODY_LIMIT_BYTES = 16 * 1024;
/** Stripe's events have a few KiB; the limit is low because anybody may call a webhook. */
const WEBHOOK_BODY_LIMIT_BYTES = 512 * 1024;
/** Enough for a bundle of a thousand policy files of 8 KiB. */
const POLICIES_BODY_LIMIT_BYTES = 8 * 1024 * 1024;
/** Far more than such a body needs; small, because reading and checking it is not interrupted for other requests. */
const MANAGEMENT_BODY_LIMIT_BYTES = 64 * 1024;

/** Builds the adapter. Bodies arrive at handlers as buffers, whatever their content type. */
export function createHttpAdapter(
  config: AppConfig,
  logger: Logger,
  observe: RequestObserver,
  drain: Pick<ConnectionDrain, 'isDraining'>,
): FastifyAdapter {
  const security = securityHeaders(config.server.baseUrl);
  const adapter = new FastifyAdapter({
    skipMiddie: true,
    multipart: false,
    logger: false,
    requestIdHeader: false,
    genReqId: requestIdOf,
    trustProxy: config.server.trustProxy.length === 0 ? false : [...config.server.trustProxy],
    bodyLimit: config.events.bodyLimitBytes,
    requestTimeout: config.server.requestTimeoutMs,
    // Longer than the idle time of common load balancers (60 s), so that they close first.
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    // An event_id of 128 characters, each of them percent-encoded.
    routerOptions: { maxParamLength: 3 * 128 },
    // By default, Node answers a request without Host with 400, which this service reserves for rules.
    http: {
      requireHostHeader: false,
      // Each connection reads this much of a body before anybody asks for it.
      highWaterMark: READ_AHEAD_BYTES,
      headersTimeout: Math.min(HEADERS_TIMEOUT_MS, config.server.requestTimeoutMs),
      connectionsCheckingInterval: Math.min(CHECK_EVERY_MS, config.server.requestTimeoutMs),
    },
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      setCommonHeaders(request, reply, security);
      sendError(error, request, reply, { baseUrl: config.server.baseUrl, logger });
    },
    clientErrorHandler(error, socket) {
      refuseConnection(error, socket, config.server.baseUrl, security);
    },
  });
  const server = adapter.getInstance();
  // Requests that Fastify makes for its own errors lack these fields until they are set.
  for (const field of REQUEST_FIELDS) server.decorateRequest(field);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  server.addHook('onRoute', limitBodies(config));
  addRequestHooks(server, { security, logger, observe, drain, unreadMs: config.proxy.clientIdleTimeoutMs });
  return adapter;
}

/** Sets the maximum body size of each route. */
function limitBodies(config: AppConfig): (route: RouteOptions) => void {
  return (route) => {
    if (route.url.startsWith(AUTH_PREFIX)) route.bodyLimit ??= AUTH_BODY_LIMIT_BYTES;
    if (route.url.startsWith(WEBHOOKS_PREFIX)) route.bodyLimit ??= WEBHOOK_BODY_LIMIT_BYTES;
    if (route.url.startsWith(PROXY_PREFIX)) route.bodyLimit ??= config.proxy.bodyLimitBytes;
    if (route.url.startsWith(CALLS_PREFIX))
      route.bodyLimit ??=
        route.url === `${CALLS_PREFIX}*` ? config.proxy.bodyLimitBytes : config.proxy.answerLimitBytes;
    if (route.url === BATCH_ROUTE) route.bodyLimit ??= EVENTS_OF_A_BATCH * config.events.bodyLimitBytes;
    // A body to be evaluated has the limit of an event; a bundle to be deployed may be larger.
    if (route.url === EVENTS_ROUTE || route.url.endsWith(EVALUATION)) route.bodyLimit ??= config.events.bodyLimitBytes;
    if (route.url.startsWith(POLICIES_PREFIX)) route.bodyLimit ??= POLICIES_BODY_LIMIT_BYTES;
    if (route.url.startsWith(API_PREFIX)) route.bodyLimit ??= MANAGEMENT_BODY_LIMIT_BYTES;
  };
}

interface RequestHooks {
  readonly security: ReturnType<typeof securityHeaders>;
  readonly logger: Logger;
  readonly observe: RequestObserver;
  readonly drain: Pick<ConnectionDrain, 'isDraining'>;
  /** The time after which the connection of a client that does not read its answer is closed. */
  readonly unreadMs: number;
}

/** Hooks for the beginning and the end of every request. */
function addRequestHooks(server: FastifyInstance, { security, logger, observe, drain, unreadMs }: RequestHooks): void {
  server.addHook('onRequest', (_request, { raw }, done) => inTurn(raw, done));
  server.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(request, reply, security);
    closeWhenUnread(reply.raw, unreadMs);
    const { method, raw } = request;
    const endCall = withinCall({ method, traceparent: raw.headers['traceparent'] }, () => done(unfit(request)));
    // Fastify only reports answers that were sent; a request is also finished when its client has disconnected.
    reply.raw.once('close', () => {
      finishRequest(request, reply, logger, observe);
      endCall?.({ status: statusOf(reply), route: routeOf(request) });
    });
  });
  server.addHook('onSend', ({ headers, url, method }, reply, payload, done) => {
    // Only browsers send cookies; programs have their own client, whose version need not be that of the service. Answers to all kinds of
    // wrong credentials are equal.
    const isForPage = headers.cookie !== undefined && url.startsWith(API_PREFIX) && reply.statusCode !== 401;
    if (isForPage) reply.header(VERSION_HEADER, VERSION);
    if (drain.isDraining) reply.header('connection', 'close');
    // The proxy has its own routes for HEAD, and its answers are those of providers.
    const isUnsent = method === 'HEAD' && !url.startsWith(PROXY_PREFIX);
    done(null, isUnsent ? unsentPayload(payload) : payload);
  });
}

/** What a waiting request counts as, in bytes of an answer: about the memory that it takes. */
const WAITING_BYTES = 1024;

/** Node's count of the output that waits for earlier answers: https://github.com/nodejs/node/blob/v24.x/lib/_http_outgoing.js */
interface CountsOutput {
  readonly _onPendingData?: (bytes: number) => void;
}

/**
 * Calls `done` when the answer is the next one on its connection. Clients may send requests without waiting for answers (pipelining, RFC
 * 9112, section 9.3.2). Until an earlier request is answered, Node does not report the end of the connection for a later one, whose resources
 * would never be released. So a later request begins only then, and never if its client leaves before.
 *
 * Node stops reading a connection while much output waits. A request that has not begun has no output, so it is counted itself: otherwise
 * a client could fill the memory with requests behind one that takes long.
 */
function inTurn(raw: FastifyReply['raw'] & CountsOutput, done: () => void): void {
  // https://github.com/nodejs/node/blob/v24.x/lib/_http_server.js: an answer without a socket waits, and `assignSocket` emits this event.
  if (raw.socket !== null) return done();
  raw._onPendingData?.(WAITING_BYTES);
  raw.once('socket', () => {
    raw._onPendingData?.(-WAITING_BYTES);
    done();
  });
}

/** The error of a request that is invalid on any route. */
function unfit(request: FastifyRequest): WeirError | undefined {
  if (lacksHost(request)) return invalidRequest([{ path: 'host', message: 'is required' }]);
  // The proxy sends errors in its dialects, and does not look up parts of its URL in the database.
  if (request.routeOptions.url?.startsWith(PROXY_PREFIX) === true) return undefined;
  // No id contains a null character, and PostgreSQL would refuse it as a parameter.
  const ids = Object.values((request.params ?? {}) as Readonly<Record<string, string>>);
  return ids.some((id) => id.includes('\0')) ? new WeirError('not_found') : undefined;
}

/** RFC 9112, section 3.2: a request of HTTP/1.1 must have a Host header. */
function lacksHost({ raw }: FastifyRequest): boolean {
  return raw.headers.host === undefined && raw.httpVersion === '1.1';
}

function setCommonHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  security: Readonly<Record<string, string>>,
): void {
  reply.header(REQUEST_ID_HEADER, request.id).headers(security);
}

/** The answer to bytes of which Node makes no request. */
interface ConnectionRefusal {
  readonly status: string;
  readonly message: string;
  /** Whether the same bytes may arrive completely at the next attempt. */
  readonly mayPass: boolean;
}

const NO_REQUEST: ConnectionRefusal = {
  status: '422 Unprocessable Entity',
  message: 'The received bytes are not an HTTP request',
  mayPass: false,
};
/** By the error code of Node (https://nodejs.org/api/http.html#event-clienterror). */
const CONNECTION_REFUSALS: ReadonlyMap<string, ConnectionRefusal> = new Map([
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    { status: '408 Request Timeout', message: 'The request took too long to arrive', mayPass: true },
  ],
  // RFC 6585, section 5. The SDKs do not send a call to its provider after this status.
  [
    'HPE_HEADER_OVERFLOW',
    {
      status: '431 Request Header Fields Too Large',
      message: `The address and the headers of the request are over ${maxHeaderSize / BYTES_PER_KIB} KiB`,
      mayPass: false,
    },
  ],
]);

/**
 * Answers bytes that are not a complete HTTP request: there is no request object, so the answer is written to the socket directly. Node
 * would use 400 for most of them, which this service reserves for rules.
 */
function refuseConnection(
  error: NodeJS.ErrnoException,
  socket: Socket,
  baseUrl: string,
  security: Readonly<Record<string, string>>,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, message, mayPass } = CONNECTION_REFUSALS.get(error.code ?? '') ?? NO_REQUEST;
  const traceId = uuidV7(Date.now());
  const answer = errorAnswer(new WeirError('invalid_request', { message }), traceId, baseUrl);
  const headers = { ...security, ...(mayPass ? {} : answer.headers) };
  const head = [
    `HTTP/1.1 ${status}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(answer.body)}`,
    `${REQUEST_ID_HEADER}: ${traceId}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${answer.body}`);
}
