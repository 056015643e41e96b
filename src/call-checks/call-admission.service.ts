import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  callHeaders,
  CallIntake,
  CallReplays,
  CALLS_PREFIX,
  changedBody,
  clientStyle,
  dialectAnswer,
  errorInfo,
  isContentBlock,
  PROXIED_METHODS,
  providerOf,
  proxyTarget,
  refusalHeaders,
  requestChanges,
  RequestJudge,
  routeTexts,
  weirHeaders,
  type AdmittedCall,
  type EnteredCall,
  type ProxiedCall,
  type ProxyTarget,
  type RequestClaim,
} from '../calls/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { isPlain, type ProviderStyle } from '../core/index.js';
import type { StoredAnswer } from '../events/index.js';
import {
  bearerOf,
  logFailure,
  invalidRequest,
  loggedIdOf,
  LOGGER,
  noteRefused,
  noteSubject,
  toWeirError,
  WeirError,
  type Logger,
} from '../http/index.js';
import { fingerprintOf, idempotencyKey } from './idempotency-key.js';
import { GO_ON, recalled, REFUSED, remembered, type ReplayAnswer, type ReplayRoute } from './replay-answer.js';
import { OpenCalls } from './open-calls.js';

const METHOD_HEADER = 'x-weir-method';
const METHODS: readonly string[] = PROXIED_METHODS;

/** An answer ready to be sent. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

/** Decides whether a call may be sent to its provider, from the body that its client would send. */
@Injectable()
export class CallAdmission {
  constructor(
    @Inject(APP_CONFIG) private readonly config: AppConfig,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(CallIntake) private readonly intake: CallIntake,
    @Inject(RequestJudge) private readonly judge: RequestJudge,
    @Inject(CallReplays) private readonly replays: CallReplays,
    @Inject(OpenCalls) private readonly open: OpenCalls,
  ) {}

  /**
   * Checks the caller before the body is read: without a key, no bytes are read into memory, and nothing about paths is revealed.
   * @throws WeirError `not_found`, `authentication_error`, `unavailable`, `overloaded`, `rate_limit_exceeded`, `invalid_request`
   */
  async checkCaller(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    providerOf(request.raw.url ?? '', this.config.providers, CALLS_PREFIX);
    await this.intake.expect({ surface: 'calls', request, reply, key: bearerOf(request) });
    this.targetOf(request);
  }

  /** Answers the request, even after an error. */
  async handle(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const target = this.targetOf(request);
    try {
      const { status, headers, body } = await this.answer(request, reply, target);
      await reply.code(status).headers(headers).send(body);
    } catch (error) {
      await this.refuse(request, reply, clientStyle(target), error);
    }
  }

  /** Sends an error in the format of the route, so that the provider's own client can read it unchanged. */
  async refuse(request: FastifyRequest, reply: FastifyReply, style: ProviderStyle, thrown: unknown): Promise<void> {
    const error = toWeirError(thrown);
    noteRefused(request, error);
    logFailure(this.logger, 'judging a submitted call failed', { error, thrown, traceId: loggedIdOf(request) });
    if (reply.sent || reply.raw.headersSent) return void reply.raw.destroy();
    const { status, headers, body } = dialectAnswer(style, error, errorInfo(request.id, error));
    await reply.code(status).headers(headers).send(body);
  }

  private targetOf(request: FastifyRequest): ProxyTarget {
    return proxyTarget(request.raw.url ?? '', methodOf(request), this.config.providers, CALLS_PREFIX);
  }

  private async answer(request: FastifyRequest, reply: FastifyReply, target: ProxyTarget): Promise<Answer> {
    const key = bearerOf(request);
    const method = methodOf(request);
    const eventId = idempotencyKey(request);
    const arriving = { surface: 'calls', request, reply, target, key, method, headers: [] } as const;
    const entered = await this.intake.enter(arriving);
    try {
      const fingerprint = fingerprintOf(request, method);
      const asked = await this.replays.once({ caller: entered.caller, eventId }, (settle) =>
        this.judged(entered, eventId, fingerprint, settle),
      );
      return asked.replayed ? await this.again(asked.stored, fingerprint, entered) : asked.result;
    } finally {
      entered.leave();
    }
  }

  /** Judges a call that was not judged before. @throws StoredBefore */
  private async judged(
    entered: EnteredCall,
    eventId: string | undefined,
    fingerprint: Buffer,
    settle: (stored: StoredAnswer) => void,
  ): Promise<Answer> {
    const { request, reply } = entered.arriving;
    const claim = new Claim(fingerprint, eventId, request.id);
    const read = await this.intake.read(entered);
    const setHeader = (name: string, value: string): void => void reply.header(name, value);
    try {
      const call = await this.judge.admit({ ...read, claim }, setHeader);
      noteSubject(request, { eventId: call.eventId });
      this.open.add(call);
      const kept = claim.kept?.answer;
      if (kept === undefined) throw new Error('an admitted call has no stored answer');
      settle({ ...remembered(kept), id: call.id, fingerprint });
      return await answerOf(kept, read, request);
    } catch (error) {
      if (!isContentBlock(error)) read.rollback();
      else if (claim.kept !== undefined) settle({ ...remembered(claim.kept.answer), id: claim.kept.id, fingerprint });
      throw error;
    }
  }

  /** Answers a repeated request with the stored answer. */
  private async again(
    stored: StoredAnswer,
    fingerprint: Buffer,
    { arriving: { request, target } }: EnteredCall,
  ): Promise<Answer> {
    this.replays.check(stored, { fingerprint, path: 'idempotency-key', usedBefore: 'for another request' });
    const kept = recalled(stored);
    noteSubject(request, { replayed: true });
    const answer = await answerOf(
      kept,
      kept.changes === undefined ? {} : await this.intake.readBody(request, target),
      request,
    );
    return { ...answer, headers: { ...answer.headers, 'idempotent-replayed': 'true' } };
  }
}

/** Stores the answer to a request for retries. */
class Claim implements RequestClaim {
  /** The stored answer, with the id of the call. */
  kept?: { readonly id: string; readonly answer: ReplayAnswer };

  constructor(
    readonly fingerprint: Buffer,
    readonly eventId: string | undefined,
    private readonly requestId: string,
  ) {}

  async granted(call: AdmittedCall) {
    // A body with a content coding is answered with the bytes that were judged: its client must not send others.
    const { changes = call.plainBody && [] } = await requestChanges(call, 'never');
    const headers = {
      ...weirHeaders({
        eventId: call.eventId,
        policy: call.policy,
        decision: call.judgement.action,
        redactions: call.judgement.redactions,
        overheadMs: performance.now() - call.startedMs,
      }),
      ...callHeaders(call, call.id),
    };
    return this.keep(call.id, { headers, route: routeOf(call), ...(changes === undefined ? {} : { changes }) });
  }

  refused(call: ProxiedCall, id: string, refusal: WeirError) {
    const { headers, body } = dialectAnswer(clientStyle(call.target), refusal, errorInfo(this.requestId, refusal));
    const ownHeaders = refusalHeaders(call, id, this.eventId ?? id);
    return this.keep(id, { headers: { ...ownHeaders, ...headers }, route: routeOf(call), body });
  }

  private keep(id: string, answer: ReplayAnswer) {
    this.kept = { id, answer };
    return remembered(answer);
  }
}

async function answerOf(
  { headers, changes, body }: ReplayAnswer,
  read: Pick<ProxiedCall, 'doc' | 'textBody' | 'plainBody'>,
  request: FastifyRequest,
): Promise<Answer> {
  if (body !== undefined) return { status: REFUSED, headers, body };
  if (changes === undefined) return { status: GO_ON, headers };
  const type = request.headers['content-type'] ?? 'application/octet-stream';
  return { status: 200, headers: { ...headers, 'content-type': type }, body: await changedBody(read, changes) };
}

/** The route to store. A path with other texts than plain words is left out: they may be anything, and must not be stored. */
function routeOf({ target: { provider, path }, method }: ProxiedCall): ReplayRoute {
  const [route = ''] = path.split('?', 1);
  return { provider: provider.id, method, path: routeTexts(route).every(({ text }) => isPlain(text)) ? route : '' };
}

/** The method of the provider's route. @throws WeirError `invalid_request` */
function methodOf(request: FastifyRequest): string {
  const method = request.headers[METHOD_HEADER] ?? 'POST';
  if (typeof method === 'string' && METHODS.includes(method)) return method;
  throw invalidRequest([{ path: METHOD_HEADER, message: `must be one of ${METHODS.join(', ')}` }]);
}
