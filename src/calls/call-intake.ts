import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, PresentedCredential } from '../access/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import {
  applyEdits,
  dialectFacts,
  findingTokenIds,
  isPlain,
  memberOf,
  segmentsOf,
  splice,
  type DecodedCall,
  type JsonDocument,
  type Segment,
} from '../core/index.js';
import { DocumentReader } from '../documents/index.js';
import type { Rollback } from '../events/index.js';
import { invalidRequest, noteCaller, settleRequestId } from '../http/index.js';
import {
  afterOthers,
  distinctly,
  isUuidShaped,
  JudgementService,
  maskedId,
  runCooperatively,
} from '../judgement/index.js';
import { BodyRooms } from '../limits/index.js';
import { PolicyStore, type ActivePolicy } from '../policy-store/index.js';
import { bodyHeaders } from './body-headers.js';
import { callOfBody, isPromisedJson, unpacked } from './call-of-body.js';
import { envelopeTexts, holdsOwnCredential, PlainHeaders } from './call-envelope.js';
import { conversationIdOf, earlierAnswerOf } from './conversation-id.js';
import { CallEntrance, type Entered } from './call-entrance.js';
import { callAnnotations, type CallAnnotations } from './call-annotations.js';
import { CallSessions } from './call-sessions.js';
import { modelOf, type CallSurface, type ProxiedCall } from './proxied-call.js';
import type { ProxyTarget } from './proxy-target.js';
import { NO_BODY, readingBody, type ReadBody } from './read-body.js';
import { findingRepeated } from './repeated-members.js';

/** A call as received at one of the entry points. */
export interface ArrivingCall {
  readonly surface: CallSurface;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly target: ProxyTarget;
  /** The service key as presented. */
  readonly key: string | undefined;
  /** The same key, if it was looked up before. */
  readonly presented?: PresentedCredential | undefined;
  /** The method of the provider's route. */
  readonly method: string;
  /** The headers that are forwarded to the provider, as alternating names and values: their content is judged. */
  readonly headers: readonly string[];
}

/** A call whose caller is known and that has been admitted so far. */
export interface EnteredCall extends Entered {
  readonly arriving: ArrivingCall;
  readonly startedMs: number;
}

const LARGE_BODY_BYTES = 1_048_576;

type ReadCall = Omit<ProxiedCall, 'receivedAt' | 'startedMs' | 'rollback' | 'leave'>;

/** The first steps of a proxied call: the caller's identity and permission, and the reading of the call. */
@Injectable()
export class CallIntake {
  private readonly plainHeaders = new PlainHeaders();

  constructor(
    @Inject(CallEntrance) private readonly entrance: CallEntrance,
    @Inject(PolicyStore) private readonly policies: PolicyStore,
    @Inject(JudgementService) private readonly judging: JudgementService,
    @Inject(APP_CONFIG) private readonly config: AppConfig,
    @Inject(DocumentReader) private readonly documents: DocumentReader,
    @Inject(CallSessions) private readonly sessions: CallSessions,
    @Inject(BodyRooms) private readonly rooms: BodyRooms,
  ) {}

  /**
   * Identifies the caller and checks for free capacity. A call that does not reach `read` has to `leave`.
   * @throws WeirError 401, 429, 503
   */
  async enter(arriving: ArrivingCall): Promise<EnteredCall> {
    const { reply } = arriving;
    const startedMs = performance.now() - reply.elapsedTime;
    return { ...(await this.entrance.enter({ ...admissionOf(arriving), client: reply.raw })), arriving, startedMs };
  }

  /**
   * Runs before the body is read: refuses a call that is certain to be refused afterwards.
   * @throws WeirError `authentication_error`, `unavailable`, `overloaded`, `rate_limit_exceeded`
   */
  expect(arriving: AdmissionParts): Promise<void> {
    return this.entrance.expect(admissionOf(arriving));
  }

  /** @throws WeirError 401, 402, 413, 422, 429, 503: the call is not read further, and not recorded */
  async read(entered: EnteredCall): Promise<ProxiedCall> {
    const { arriving, caller, receivedAt, startedMs, admission, leave } = entered;
    const { request, reply } = arriving;
    let rollback: Rollback | undefined;
    try {
      rollback = await this.entrance.checkSubscription(admission);
      const sentId = request.id;
      await this.settleId(request, reply, caller);
      return { ...(await this.readCall(arriving, caller, sentId)), receivedAt, startedMs, rollback, leave };
    } catch (error) {
      rollback?.();
      leave();
      await this.entrance.turnedAway(admission, error);
      throw error;
    }
  }

  private async readCall(arriving: ArrivingCall, caller: Caller, sentId: string): Promise<ReadCall> {
    const { surface, request, target, method, headers, key = '' } = arriving;
    const body = await this.readBody(request, target);
    const { doc, textBody, plainBody } = body;
    const named = callAnnotations(request.headers, conversationIdOf(target, doc));
    const policy = this.policies.active(caller.accountId, caller.environment);
    if (holdsOwnCredential(target.path, key)) {
      throw invalidRequest([{ path: 'url', message: 'must not contain a service key: the provider receives the URL' }]);
    }
    const beside = envelopeTexts(target, headers, this.plainHeaders);
    const asker = [caller.accountId, caller.keyId];
    const call = await callOfBody(body, target, beside, this.documents, asker);
    const annotations = await this.inSession({ caller, policy }, named, call, target, doc);
    const storedModel = await this.maskModel(policy, call, caller);
    const { metadata, sessionId } = annotations;
    const storedMetadata = metadata && (await this.maskMetadata(policy, metadata, caller));
    const storedSessionId = sessionId && (await this.maskSessionId(policy, sessionId, caller));
    return {
      surface,
      caller,
      target,
      policy,
      requestId: request.id,
      ...(policy.policy.content === 'full' && sentId !== request.id ? { storedRequestId: sentId } : {}),
      ...(storedModel === undefined ? {} : { storedModel }),
      method,
      annotations,
      ...(storedMetadata === undefined ? {} : { storedMetadata }),
      ...(storedSessionId === undefined ? {} : { storedSessionId }),
      request: call,
      ...(doc === undefined ? {} : { doc }),
      ...(textBody === undefined ? {} : { textBody }),
      ...(plainBody === undefined ? {} : { plainBody }),
    };
  }

  /**
   * Reads the content of a call's body.
   * @throws WeirError `invalid_request` for a body that cannot be read as its receiver would read it; `overloaded` if there is no memory
   * for its unpacked content
   */
  async readBody(request: FastifyRequest, target: ProxyTarget): Promise<ReadBody> {
    const headers = bodyHeaders(request.raw.rawHeaders);
    const body = bodyOf(request);
    if (body === undefined || body.length === 0) {
      if (target.governed)
        throw invalidRequest([{ path: '', message: 'must contain a JSON object' }], 'The body is empty');
      return NO_BODY;
    }
    const { proxy } = this.config;
    const limits = {
      ...{ bytes: proxy.bodyLimitBytes, ratio: proxy.maxCompressionRatio },
      reach: async (bytes: number): Promise<void> => this.rooms.of(request)?.reachUnpacked(bytes),
    };
    const promised = isPromisedJson(target, headers);
    // Joining the pieces of a large body has just blocked other work, which runs first now.
    if (body.length > LARGE_BODY_BYTES) await afterOthers();
    const plain = headers.coding === undefined ? body : await unpacked(body, headers.coding, limits);
    if (plain.length === 0)
      throw invalidRequest([{ path: 'content-encoding', message: 'must be absent for a body without content' }]);
    const read = await runCooperatively(readingBody(plain, headers.type, promised));
    const { doc } = read;
    const isTextOnly = this.config.proxy.refuseTokenIds;
    const tokenIds = doc !== undefined && isTextOnly ? await runCooperatively(findingTokenIds(doc)) : undefined;
    if (tokenIds !== undefined)
      throw invalidRequest([{ path: tokenIds, message: 'must be text: rules cannot read token ids' }]);
    const repeated = doc === undefined ? undefined : await runCooperatively(findingRepeated(doc, target.governed));
    if (repeated !== undefined) throw invalidRequest([repeated]);
    const unguarded = doc === undefined ? undefined : dialectFacts(target.dialect).unguarded?.(doc.root);
    if (unguarded !== undefined) throw invalidRequest([unguarded]);
    return plain === body ? read : { ...read, plainBody: plain };
  }

  /** Adds the session to the annotations of a call without a session id, where its provider chains calls. */
  private async inSession(
    whose: { readonly caller: Caller; readonly policy: ActivePolicy },
    annotations: CallAnnotations,
    call: DecodedCall,
    target: ProxyTarget,
    doc: JsonDocument | undefined,
  ): Promise<CallAnnotations> {
    if (annotations.sessionId !== undefined) return annotations;
    const { dialect, facts } = target;
    const isStored =
      dialectFacts(dialect).previousAnswer !== undefined &&
      facts.countsOnly !== true &&
      (doc === undefined || memberOf(doc.root, 'store') !== false);
    const { sessionId, missing } = await this.sessions.chained(whose, call, earlierAnswerOf(target, call), isStored);
    return {
      ...annotations,
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(missing === undefined ? {} : { sessionMissing: missing }),
    };
  }

  /** Masks the name of the model if it contains a finding; undefined otherwise. */
  private async maskModel(policy: ActivePolicy, call: DecodedCall, caller: Caller): Promise<string | undefined> {
    const model = modelOf(call);
    if (model === undefined || isPlain(model)) return undefined;
    const name: Segment = { path: 'model', role: 'metadata', text: model, ref: 0 };
    const edits = await this.judging.maskTexts(policy, [name], comingAgain(caller));
    return edits.length === 0 ? undefined : applyEdits(model, edits);
  }

  /** The request id appears in events, answers and log lines, so findings in it are masked. */
  private async settleId(request: FastifyRequest, reply: FastifyReply, caller: Caller): Promise<void> {
    const policy = this.policies.active(caller.accountId, caller.environment);
    const name = { path: 'request_id', text: request.id };
    settleRequestId(request, reply, await maskedId(this.judging, policy, caller.accountId, name));
  }

  /** Metadata is used to search events, so it is stored regardless of the policy's `content` setting, and masked like any text. */
  private async maskMetadata(policy: ActivePolicy, metadata: JsonDocument, caller: Caller): Promise<string> {
    const segments = segmentsOf(metadata, [], 'metadata');
    return splice(metadata, segments, await this.judging.maskTexts(policy, segments, comingAgain(caller)));
  }

  /** Some clients use an e-mail address as the session id. UUIDs are exempt: they have no meaning for a detector. */
  private async maskSessionId(policy: ActivePolicy, sessionId: string, caller: Caller): Promise<string> {
    if (isUuidShaped(sessionId)) return sessionId;
    const name: Segment = { path: 'session_id', role: 'metadata', text: sessionId, ref: 0 };
    const edits = await this.judging.maskTexts(policy, [name], comingAgain(caller));
    return distinctly(this.judging, caller.accountId, sessionId, edits);
  }
}

/** The account whose texts are masked, and the app in which the texts repeat. */
function comingAgain({ accountId, appId }: Caller) {
  return { accountId, comesAgainIn: appId };
}

type AdmissionParts = Pick<ArrivingCall, 'surface' | 'request' | 'reply' | 'key' | 'presented'>;

function admissionOf({ surface, request, reply, key, presented }: AdmissionParts) {
  return {
    surface,
    key: presented ?? key,
    setHeader: (name: string, value: string): void => void reply.header(name, value),
    onCaller: (caller: Caller): void => noteCaller(request, caller),
  };
}

/** The body's bytes as the client sent them. */
export function bodyOf(request: FastifyRequest): Buffer | undefined {
  return Buffer.isBuffer(request.body) ? request.body : undefined;
}
