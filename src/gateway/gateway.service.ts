import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PresentedCredential } from '../access/index.js';
import {
  bodyOf,
  CallIntake,
  CallRecords,
  clientStyle,
  errorInfo,
  KnownTargets,
  isContentBlock,
  isEventStream,
  providerOf,
  requestBody,
  RequestJudge,
  type AdmittedCall,
  type CallRecord,
  type ProxiedCall,
  type ProxyTarget,
} from '../calls/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { planAnswer, PROVIDERS, type ProviderStyle } from '../core/index.js';
import {
  invalidRequest,
  logFailure,
  loggedIdOf,
  LOGGER,
  noteRefused,
  noteSubject,
  toWeirError,
  type Logger,
} from '../http/index.js';
import { spanned, type SpanOptions } from '../telemetry/index.js';
import { Metrics } from '../metrics/index.js';
import { AnswerRelay } from './answer-relay.js';
import { ClientGone, clientIsGone } from './client-disconnect.js';
import { EndOfCall } from './end-of-call.js';
import { sendDialectError } from './held-reply.js';
import { HeaderNames } from './header-names.js';
import { withUrlsAtWeir } from './provider-urls.js';
import { headersOfForwarded, HeadersForProvider } from './proxy-headers.js';
import { withoutStreamUsage } from './stream-usage.js';
import { neverSent, NoConnection, UpstreamClient, type UpstreamAnswer } from './upstream-client.js';
import { requestHeaders } from './upstream-exchange.js';

const SERVICE_KEY_HEADER = 'x-service-key';
const EVENT_ID_HEADER = 'x-weir-event-id';
const ABOUT_THE_BODY = ['content-length', 'content-encoding', 'etag', 'last-modified'];
/** A protocol in `Upgrade` (RFC 9110, section 7.8). Others, such as `h2c`, are offers that a server may ignore. */
const WEBSOCKET = /(?:^|,)\s*websocket\s*(?:[,/]|$)/i;

declare module 'fastify' {
  interface FastifyRequest {
    /** The service key of a proxied call, which is looked up before and after its body is read. */
    presentedKey?: PresentedCredential | undefined;
  }
}

/** A call to be sent to its provider. */
interface Sending {
  readonly request: FastifyRequest;
  /** Alternating names and values of the headers that may be forwarded, whatever the verdict on the call. */
  readonly headers: readonly string[];
  readonly call: AdmittedCall;
  readonly signal: AbortSignal;
}

/** A call whose request may still be on its way to the log. */
interface Storing {
  readonly record: CallRecord;
  readonly end: EndOfCall;
  /** Called when the request is in the log. */
  readonly onStored: () => void;
}

/** Handles a proxied call: reads it, judges and records it, forwards it and relays the answer. */
@Injectable()
export class GatewayService {
  private readonly headersForProvider: HeadersForProvider;
  private readonly targets: KnownTargets;
  /** Calls whose stream contains token counts that their client did not ask for. */
  private readonly askedForUsage = new WeakSet<FastifyRequest>();
  private openCalls = 0;

  constructor(
    @Inject(APP_CONFIG) private readonly config: AppConfig,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(CallIntake) private readonly intake: CallIntake,
    @Inject(RequestJudge) private readonly judge: RequestJudge,
    @Inject(CallRecords) private readonly records: CallRecords,
    @Inject(UpstreamClient) private readonly upstream: UpstreamClient,
    @Inject(AnswerRelay) private readonly relay: AnswerRelay,
    @Inject(Metrics) private readonly metrics: Pick<Metrics, 'askedProvider' | 'streamBegan' | 'gauge'>,
  ) {
    this.headersForProvider = new HeadersForProvider(new HeaderNames(config.proxy.furtherHeaders));
    this.targets = new KnownTargets(config.providers);
    metrics.gauge('weir_calls_open', 'Proxied calls that have not been answered completely.', () => this.openCalls);
  }

  /**
   * Runs before the body is read, so that no bytes are buffered for a caller without a key. Such a caller learns
   * nothing about paths.
   * @throws WeirError `not_found`, `authentication_error`, `unavailable`, `overloaded`, `rate_limit_exceeded`,
   * `invalid_request`
   */
  async checkCaller(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    providerOf(request.raw.url ?? '', this.config.providers);
    const key = serviceKey(request);
    request.presentedKey = key === undefined ? undefined : new PresentedCredential(key);
    await this.intake.expect({ surface: 'proxy', request, reply, key, presented: request.presentedKey });
    if (WEBSOCKET.test(request.headers.upgrade ?? '')) {
      throw invalidRequest([{ path: 'upgrade', message: 'must be absent: WebSockets are not supported' }]);
    }
    this.targets.of(request.raw.url ?? '', request.method);
  }

  /** Answers the call, whatever happens. */
  async handle(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // An unknown provider has no dialect, so the error handler answers in Weir's own format.
    const target = this.targets.of(request.raw.url ?? '', request.method);
    this.openCalls += 1;
    try {
      await this.forward(request, reply, target);
    } catch (error) {
      if (error instanceof ClientGone) return void reply.hijack().raw.destroy();
      await this.refuse(request, reply, clientStyle(target, request.headers), error);
    } finally {
      this.openCalls -= 1;
    }
  }

  /** Sends an error in the format that the client of the call reads, with the known details of the call. */
  async refuse(request: FastifyRequest, reply: FastifyReply, style: ProviderStyle, thrown: unknown): Promise<void> {
    const error = toWeirError(thrown);
    noteRefused(request, error);
    logFailure(this.logger, 'proxied call failed', { error, thrown, traceId: loggedIdOf(request) });
    if (reply.sent || reply.raw.headersSent) return void reply.raw.destroy();
    // The route may have set headers about a body that is not sent.
    for (const name of ABOUT_THE_BODY) {
      reply.removeHeader(name);
      reply.raw.removeHeader(name);
    }
    const eventId = reply.getHeader(EVENT_ID_HEADER);
    await sendDialectError(
      reply,
      style,
      error,
      errorInfo(request.id, error, typeof eventId === 'string' ? eventId : undefined),
    );
  }

  /** The body as the client receives it: without the token counts that only Weir asked for. */
  outgoing(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
    const asked = this.askedForUsage.has(request);
    if (!asked || !isEventStream(String(reply.getHeader('content-type')))) return payload;
    if (reply.hasHeader('content-encoding')) return payload;
    return withoutStreamUsage(payload);
  }

  private async forward(request: FastifyRequest, reply: FastifyReply, target: ProxyTarget): Promise<void> {
    const end = new EndOfCall(reply, this.config.proxy);
    const key = serviceKey(request);
    const headers = this.headersForProvider.of(request.raw.rawHeaders, key ?? '');
    const { method, presentedKey: presented } = request;
    const arriving = { surface: 'proxy', request, reply, target, key, presented, method, headers } as const;
    const read = await this.intake.read(await this.intake.enter(arriving));
    const setHeader = (name: string, value: string): void => void reply.header(name, value);
    const call = await this.admitted(read, setHeader);
    noteSubject(request, { eventId: call.eventId });
    const sentMs = performance.now();
    const record = this.records.open(call, { sentMs, overheadMs: sentMs - call.startedMs });
    const drains = call.policy.policy.onDisconnect === 'drain';
    const sending = this.send({ request, headers, call, signal: drains ? end.tooLate : end.signal });
    if (drains) end.outlive(sending);
    try {
      // Every answer has these headers from here on, unless the relay replaces them: also a failure of the provider.
      const onStored = (): void => void reply.headers(requestHeaders({ record }));
      const answer = await this.recordedAnswer({ record, end, onStored }, sending);
      await spanned('relay', () => this.relay.relay({ record, answer, reply, signal: end.signal }));
    } catch (error) {
      // Whatever the failure, the call's end is recorded here if it has none yet.
      await this.relay.failed(record, error);
    }
  }

  /** Judges and records a call, then frees its place for the next one. @throws WeirError for a call that is refused */
  private async admitted(read: ProxiedCall, setHeader: (name: string, value: string) => void): Promise<AdmittedCall> {
    try {
      return await this.judge.admit(read, setHeader);
    } catch (error) {
      if (!isContentBlock(error)) read.rollback();
      throw error;
    } finally {
      read.leave();
    }
  }

  /**
   * Returns the provider's answer once the request is in the log. When the log refuses the request, the provider's connection is closed and
   * none of its answer is forwarded.
   */
  private async recordedAnswer(
    { record, end, onStored }: Storing,
    sending: Promise<UpstreamAnswer>,
  ): Promise<UpstreamAnswer> {
    const { inFlight, rollback } = record.call;
    if (inFlight === undefined) {
      onStored();
      return sending;
    }
    inFlight.stored.catch((error: unknown) => end.breakOff(toWeirError(error)));
    let failure: unknown;
    const answer = await sending.catch((error: unknown) => void (failure = error));
    try {
      await inFlight.stored;
      onStored();
    } catch (error) {
      rollback();
      inFlight.keep();
      const { type: reason } = toWeirError(error);
      await record.fail({ reason, sent: answer !== undefined || !neverSent(failure) });
      throw error;
    }
    if (answer === undefined) throw failure;
    return answer;
  }

  /** Sends the client's own bytes, or other ones if something is redacted or the body had a content coding. */
  private async send({ request, headers, call, signal }: Sending): Promise<UpstreamAnswer> {
    const { target } = call;
    const { changed, askedForUsage } = await requestBody(
      call,
      this.config.proxy.askForStreamUsage ? 'always' : 'when_held',
    );
    if (askedForUsage) this.askedForUsage.add(request);
    const wholeAnswer = planAnswer(call.policy.policy, call.policy.detectors).mode !== 'pass';
    const { id, style, baseUrl } = target.provider;
    const sentMs = performance.now();
    const send = () =>
      this.upstream.send({
        accountId: call.caller.accountId,
        baseUrl,
        path: target.path,
        method: request.method,
        headers: headersOfForwarded(headers, { bodyChanged: changed !== undefined, wholeAnswer }),
        body: changed ?? bodyOf(request),
        signal,
        onStreamBegins: () => this.metrics.streamBegan(id, performance.now() - sentMs),
      });
    const traced = (): SpanOptions => ({
      kind: 'client',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': PROVIDERS[style].telemetryName,
        'weir.provider': id,
        'server.address': new URL(baseUrl).hostname,
      },
    });
    let status: number | undefined;
    let wasAsked = true;
    try {
      const answer = await spanned('upstream', send, traced);
      ({ status } = answer);
      return { ...answer, headers: withUrlsAtWeir(answer.headers, target.provider, this.config.server.baseUrl) };
    } catch (error) {
      wasAsked = !(error instanceof NoConnection);
      throw error;
    } finally {
      // A client that disconnects is no evidence about the provider.
      if (wasAsked && !clientIsGone(signal)) this.metrics.askedProvider(id, status, performance.now() - sentMs);
    }
  }
}

function serviceKey(request: FastifyRequest): string | undefined {
  const header = request.headers[SERVICE_KEY_HEADER];
  return Array.isArray(header) ? undefined : header;
}
