import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { APP_CONFIG, type AppConfig, type ProviderStyle } from '../config/index.js';
import { splice } from '../core/index.js';
import { ADMISSION_STEPS, reserve, type AdmissionSteps, type NewEvent } from '../events/index.js';
import { ERROR_STATUS, errorForLog, LOGGER, noteSubject, toWeirError, WeirError, type Logger } from '../http/index.js';
import { JudgementService, type Judgement } from '../judgement/index.js';
import { errorInfo } from './answer-on-its-way.js';
import { AnswerRelay } from './answer-relay.js';
import { bodyOf, CallIntake, serviceKey } from './call-intake.js';
import { CallRecorder } from './call-recorder.js';
import { ClientGone } from './client-gone.js';
import { sendDialectError } from './held-reply.js';
import { callContext, type AdmittedCall, type ProxiedCall } from './proxied-call.js';
import { headersUp } from './proxy-headers.js';
import { proxyTarget, type ProxyTarget } from './proxy-target.js';
import { blockReason, refusalOf } from './refusal.js';
import { UpstreamClient, type UpstreamAnswer } from './upstream-client.js';
import { weirHeaders } from './weir-headers.js';

/** The way of a proxied call: read, judge, record, forward, relay the answer. */
@Injectable()
export class GatewayService {
  constructor(
    @Inject(APP_CONFIG) private readonly config: AppConfig,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(ADMISSION_STEPS) private readonly steps: AdmissionSteps,
    @Inject(CallIntake) private readonly intake: CallIntake,
    @Inject(JudgementService) private readonly judging: JudgementService,
    @Inject(CallRecorder) private readonly recorder: CallRecorder,
    @Inject(UpstreamClient) private readonly upstream: UpstreamClient,
    @Inject(AnswerRelay) private readonly relay: AnswerRelay,
  ) {}

  /** Answers the call, whatever happens. */
  async handle(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // An unknown provider has no dialect: that error is Weir's own, and the error handler's.
    const target = proxyTarget(request.raw.url ?? '', request.method, this.config.providers);
    try {
      await this.forward(request, reply, target);
    } catch (error) {
      if (error instanceof ClientGone) return void reply.hijack().raw.destroy();
      await this.refuse(request, reply, target.provider.style, error);
    }
  }

  /** An error in the provider's dialect, with what is known about the call. */
  async refuse(request: FastifyRequest, reply: FastifyReply, style: ProviderStyle, thrown: unknown): Promise<void> {
    const error = toWeirError(thrown);
    if (ERROR_STATUS[error.type] >= 500) {
      const err = errorForLog(error.cause ?? thrown);
      this.logger.error({ trace_id: request.id, type: error.type, err }, 'proxied call failed');
    }
    if (reply.sent || reply.raw.headersSent) return void reply.raw.destroy();
    await sendDialectError(reply, style, error, errorInfo(request.id, error));
  }

  private async forward(request: FastifyRequest, reply: FastifyReply, target: ProxyTarget): Promise<void> {
    const call = await this.intake.read(request, reply, target);
    const judgement = await this.judging.judge({
      policy: call.policy,
      context: callContext(call),
      call: call.request,
      kind: 'request',
      enforceable: true,
      monitorRequested: false,
    });
    const admitted = await this.admit(call, judgement, reply);
    noteSubject(request, { eventId: admitted.eventId });
    const abort = new AbortController();
    const onClose = (): void => {
      if (!reply.raw.writableFinished) abort.abort(new ClientGone());
    };
    reply.raw.once('close', onClose);
    const sentMs = performance.now();
    const times = { sentMs, overheadMs: sentMs - call.startedMs };
    const { signal } = abort;
    const answer = await this.send(request, admitted, signal).catch((error: unknown) =>
      this.relay.failed(admitted, error, times),
    );
    await this.relay.relay({ call: admitted, answer, reply, signal, times });
  }

  /** Records the request. @throws WeirError when it is refused, or cannot be recorded */
  private async admit(call: ProxiedCall, judgement: Judgement, reply: FastifyReply): Promise<AdmittedCall> {
    const event = this.recorder.draft(call, this.requestContent(call, judgement));
    const headers = weirHeaders({
      eventId: event.eventId,
      policy: call.policy,
      decision: judgement.action,
      redactions: judgement.redactions,
      overheadMs: performance.now() - call.startedMs,
    });
    if (judgement.action === 'block') {
      await this.recorder.append(event);
      reply.headers(headers);
      throw refusalOf(judgement, event.eventId);
    }
    const others = await this.spend(call, event, judgement, reply);
    await this.recorder.append(event, others);
    return { ...call, judgement, eventId: event.eventId };
  }

  private requestContent(call: ProxiedCall, judgement: Judgement) {
    const { doc, policy, request } = call;
    const blocked = judgement.action === 'block';
    const masks = this.judging.maskJudged(policy, request.segments, judgement);
    return {
      type: 'ai.request' as const,
      judgement,
      ...(doc === undefined ? {} : { payload: splice(doc, request.segments, masks) }),
      decision: judgement.action,
      ...(blocked ? { reason: judgement.unavailable ? 'guardrail_unavailable' : blockReason(judgement) } : {}),
      violations: judgement.unavailable ? [] : judgement.violations,
      redactions: judgement.redactions,
      weirMs: performance.now() - call.startedMs,
    };
  }

  /** Asks the money side. @throws WeirError when it refuses; that is recorded first */
  private async spend(
    call: ProxiedCall,
    event: NewEvent,
    judgement: Judgement,
    reply: FastifyReply,
  ): Promise<readonly NewEvent[]> {
    const { caller, receivedAt } = call;
    const setHeader = (name: string, value: string): void => void reply.header(name, value);
    const context = { caller, source: 'proxy' as const, receivedAt, setHeader, event, judgement };
    const spending = await reserve(this.steps.spending, context);
    if (spending.outcome === 'granted') return spending.children;
    const { reason, message, retryAfterSeconds, children } = spending;
    await this.recorder.append({ ...event, decision: 'block', reason, redactions: [] }, children);
    throw new WeirError(reason, {
      message,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      decision: 'block',
      violations: judgement.violations,
      eventId: event.eventId,
    });
  }

  /** The client's own bytes when nothing is to be redacted, spliced ones when something is. */
  private send(request: FastifyRequest, call: AdmittedCall, signal: AbortSignal): Promise<UpstreamAnswer> {
    const { doc, judgement, target } = call;
    const changed = doc !== undefined && judgement.edits.length > 0;
    const body = changed ? Buffer.from(splice(doc, call.request.segments, judgement.edits)) : bodyOf(request);
    return this.upstream.send({
      baseUrl: target.provider.baseUrl,
      path: target.path,
      method: request.method,
      headers: headersUp(request.raw.rawHeaders, serviceKey(request) ?? '', changed),
      body,
      signal,
    });
  }
}
