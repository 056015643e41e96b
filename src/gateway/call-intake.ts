import { isUtf8 } from 'node:buffer';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessUnavailable, KeyAuthenticator, type Caller } from '../access/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import {
  applyEdits,
  decodeRequest,
  JsonSyntaxError,
  parseJson,
  segmentsOf,
  splice,
  tokenIdField,
  type JsonDocument,
} from '../core/index.js';
import { ADMISSION_STEPS, admit, type AdmissionSteps } from '../events/index.js';
import { invalidRequest, malformedJson, noteSubject, WeirError } from '../http/index.js';
import { JudgementService } from '../judgement/index.js';
import { PolicyStore, type ActivePolicy } from '../policy-store/index.js';
import { markedJson, textsOfBody } from './body-form.js';
import type { TextBody } from './body-pieces.js';
import { callAnnotations, type CallAnnotations } from './call-annotations.js';
import { CodingError, unpackBody } from './content-coding.js';
import { kindOfType } from './media-type.js';
import { NO_TEXTS, type ProxiedCall } from './proxied-call.js';
import type { ProxyTarget } from './proxy-target.js';
import { UnreadableBody } from './unreadable-body.js';

export const SERVICE_KEY_HEADER = 'x-service-key';

/** `application/json`, `application/…+json`. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const JSON_TYPE = /[/+]json\s*(?:;|$)/i;

interface ReadBody {
  readonly doc: JsonDocument;
  readonly textBody?: TextBody;
}

/** The first steps of a proxied call: who calls, may they, what is in it. */
@Injectable()
export class CallIntake {
  constructor(
    @Inject(KeyAuthenticator) private readonly keys: KeyAuthenticator,
    @Inject(ADMISSION_STEPS) private readonly steps: AdmissionSteps,
    @Inject(PolicyStore) private readonly policies: PolicyStore,
    @Inject(JudgementService) private readonly judging: JudgementService,
    @Inject(APP_CONFIG) private readonly config: AppConfig,
  ) {}

  /** @throws WeirError 401, 402, 413, 422, 429, 503: the call is not read any further and not recorded */
  async read(request: FastifyRequest, reply: FastifyReply, target: ProxyTarget): Promise<ProxiedCall> {
    const startedMs = performance.now() - reply.elapsedTime;
    const receivedAt = new Date();
    const caller = await this.authenticate(serviceKey(request));
    noteSubject(request, { accountId: caller.accountId, appId: caller.appId, keyId: caller.keyId });
    const setHeader = (name: string, value: string): void => void reply.header(name, value);
    const admission = { caller, source: 'proxy' as const, receivedAt, setHeader };
    await admit(this.steps.limits, admission);
    const takeBack = await admit(this.steps.standing, admission);
    try {
      return { ...(await this.readCall(request, target, caller)), receivedAt, startedMs, takeBack };
    } catch (error) {
      takeBack();
      throw error;
    }
  }

  private async readCall(
    request: FastifyRequest,
    target: ProxyTarget,
    caller: Caller,
  ): Promise<Omit<ProxiedCall, 'receivedAt' | 'startedMs' | 'takeBack'>> {
    const annotations = callAnnotations(request.headers);
    const { doc, textBody } = (await this.readBody(request, target)) ?? {};
    const policy = this.policies.active(caller.accountId, caller.environment);
    const storedMetadata = await this.maskMetadata(policy, annotations);
    const storedSessionId = await this.maskSessionId(policy, annotations);
    return {
      caller,
      target,
      policy,
      requestId: request.id,
      method: request.method,
      annotations,
      ...(storedMetadata === undefined ? {} : { storedMetadata }),
      ...(storedSessionId === undefined ? {} : { storedSessionId }),
      request: doc === undefined ? NO_TEXTS : decodeRequest(target.dialect, doc),
      ...(doc === undefined ? {} : { doc }),
      ...(textBody === undefined ? {} : { textBody }),
    };
  }

  /** @throws WeirError `authentication_error`, `unavailable` */
  async authenticate(key: string | undefined): Promise<Caller> {
    const caller = await this.keys.authenticate(key).catch((cause: unknown) => {
      if (!(cause instanceof AccessUnavailable)) throw cause;
      throw new WeirError('unavailable', { cause, retryAfterSeconds: cause.retryAfterSeconds });
    });
    if (caller === null) throw new WeirError('authentication_error');
    return caller;
  }

  /** The body's texts; undefined where neither the route nor the content type promises any, and the body is no JSON. */
  private async readBody(request: FastifyRequest, target: ProxyTarget): Promise<ReadBody | undefined> {
    const body = bodyOf(request);
    if (body === undefined || body.length === 0) {
      if (target.governed)
        throw invalidRequest([{ path: '', message: 'must hold a JSON object' }], 'The body is empty');
      return undefined;
    }
    const contentType = request.headers['content-type'];
    const promised = target.governed || JSON_TYPE.test(contentType ?? '');
    const saysText = promised || ['text', 'form', 'multipart'].includes(kindOfType(contentType));
    const unpacked = await this.unpack(body, request.headers['content-encoding'], saysText);
    const read = unpacked === undefined ? undefined : textsIn(unpacked, contentType, promised);
    const tokenIds = read === undefined || !this.config.proxy.refuseTokenIds ? undefined : tokenIdField(read.doc);
    if (tokenIds !== undefined)
      throw invalidRequest([{ path: tokenIds, message: 'must be text: token ids are not read' }]);
    return read;
  }

  private async unpack(body: Buffer, coding: string | undefined, saysText: boolean): Promise<Buffer | undefined> {
    const { proxy } = this.config;
    try {
      return await unpackBody(body, coding, { bytes: proxy.bodyLimitBytes, ratio: proxy.maxCompressionRatio });
    } catch (error) {
      if (!(error instanceof CodingError)) throw error;
      if (error.problem === 'too_large') throw new WeirError('payload_too_large');
      if (!saysText && error.problem === 'unknown') return undefined;
      throw invalidRequest([{ path: 'content-encoding', message: 'must be gzip, deflate, br or zstd, and true' }]);
    }
  }

  /** Metadata is what events are searched by: it is kept whatever the capture, and masked like any text. */
  private async maskMetadata(policy: ActivePolicy, { metadata }: CallAnnotations): Promise<string | undefined> {
    if (metadata === undefined) return undefined;
    const segments = segmentsOf(metadata, [], 'metadata');
    return splice(metadata, segments, await this.judging.maskTexts(policy, segments));
  }

  /** Some clients use an address as the session. A UUID is what it looks like: masking one would merge sessions. */
  private async maskSessionId(policy: ActivePolicy, { sessionId }: CallAnnotations): Promise<string | undefined> {
    if (sessionId === undefined || UUID.test(sessionId)) return sessionId;
    const edits = await this.judging.maskTexts(policy, [
      { path: 'session_id', role: 'metadata', text: sessionId, ref: 0 },
    ]);
    return applyEdits(sessionId, edits);
  }
}

/**
 * @param promised the body has to be JSON
 * @throws WeirError `invalid_request` for what cannot be read, although it holds text
 */
function textsIn(body: Buffer, contentType: string | undefined, promised: boolean): ReadBody | undefined {
  try {
    if (isUtf8(body)) {
      const doc = jsonIn(body, promised);
      if (doc !== undefined) return doc;
    } else if (promised) {
      throw invalidRequest([{ path: '', message: 'must be UTF-8' }]);
    }
    const textBody = textsOfBody(body, contentType);
    return textBody === undefined ? undefined : { doc: textBody.doc, textBody };
  } catch (error) {
    if (error instanceof UnreadableBody) throw invalidRequest([{ path: '', message: error.message }]);
    throw error instanceof JsonSyntaxError ? malformedJson(error) : error;
  }
}

/** @throws JsonSyntaxError for what has to be JSON and is none, and for what may be JSON, but is over a limit */
function jsonIn(body: Buffer, promised: boolean): ReadBody | undefined {
  try {
    const textBody = markedJson(body);
    return textBody === undefined ? { doc: parseJson(body.toString('utf8')) } : { doc: textBody.doc, textBody };
  } catch (error) {
    // What is over a limit may well be JSON to the provider, whatever it is called.
    if (error instanceof JsonSyntaxError && !promised && !error.overLimit) return undefined;
    throw error;
  }
}

export function serviceKey(request: FastifyRequest): string | undefined {
  const header = request.headers[SERVICE_KEY_HEADER];
  return Array.isArray(header) ? undefined : header;
}

/** The body's bytes as the client sent them. */
export function bodyOf(request: FastifyRequest): Buffer | undefined {
  return Buffer.isBuffer(request.body) ? request.body : undefined;
}
