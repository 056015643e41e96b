import { Inject, Injectable } from '@nestjs/common';
import { NOTHING_BESIDE, readingEmbedded, withBeside, withFilesRead, type EmbeddedReading } from '../contents/index.js';
import {
  estimatingSentUsage,
  estimatingUsage,
  planAnswer,
  refuses,
  type CannedAnswer,
  type DecodedCall,
  type Usage,
} from '../core/index.js';
import { DocumentReader } from '../documents/index.js';
import { WeirError } from '../http/index.js';
import { runCooperatively, type Judgement } from '../judgement/index.js';
import { unreadAnswer } from './answer-files.js';
import type { AnswerTexts } from './answer-contents.js';
import type { HeaderText } from './answer-headers.js';
import { isUnreadable, NO_ANSWER_TEXTS, readingAnswer } from './answer-texts.js';
import { cannedAnswerTo } from './canned-answers.js';
import { endingOf, namesOf } from './call-event.js';
import { CallPipeline, type EventContent, type Judged } from './call-pipeline.js';
import { errorReason, isErrorStatus } from './error-answer.js';
import { numbersOfRequest, storedContentOf } from './stored-content.js';
import { unpackBody, type UnpackedLimits } from './content-coding.js';
import { LargeAnswers } from './large-answers.js';
import { modelOf, type AdmittedCall } from './proxied-call.js';
import { joinRedactions, strongerDecision, weirHeaders } from './weir-headers.js';

const NO_HEADERS: readonly HeaderText[] = [];
const NO_NAMES: ReadonlySet<string> = new Set();

/** Durations, in monotonic milliseconds. */
export interface CallTimes {
  /** The time at which the request was sent to the provider. */
  readonly sentMs: number;
  /** The time that Weir spent before the request was sent. */
  readonly overheadMs: number;
}

interface ReadAnswer {
  readonly texts: AnswerTexts;
  /** The bytes that were read of a body with a content coding; absent if the body was read as it came, or not read. */
  readonly plainBody?: Buffer;
}

/** A provider's answer after it was read, judged and recorded. */
export interface JudgedAnswer extends ReadAnswer {
  /** Its edits are those of the body. */
  readonly judgement: Judgement;
  /** The names of the headers that are not sent: a rule would mask something in them, and nothing can be masked there. */
  readonly removedHeaders: ReadonlySet<string>;
  /** Id of the event: an `ai.response`, or an `ai.error` for an error of the provider. */
  readonly eventId: string;
  /** The outcome of request and answer together, for the client. */
  readonly headers: Readonly<Record<string, string>>;
  /** The canned answer that replaces the provider's, when a rule with a canned answer refuses it. */
  readonly canned: CannedAnswer | undefined;
}

/** A body that is kept outside of the memory until it is read. */
export interface KeptBody {
  /** In bytes. */
  readonly length: number;
  /** The whole body, read again at each use. */
  readonly bytes: Buffer;
}

export interface AnswerToJudge {
  readonly call: AdmittedCall;
  readonly status: number;
  readonly contentType: string | undefined;
  readonly coding: string | undefined;
  /** The body from the provider; its received part when the answer broke off. */
  readonly body: Buffer | KeptBody;
  /** The texts of its headers that are judged with the body; absent if there are none. */
  readonly headerTexts?: readonly HeaderText[];
  /** False when the answer was already forwarded. */
  readonly enforceable: boolean;
  /** Whether a part of the answer was forwarded, so that no other answer can replace it. */
  readonly begun?: boolean;
  /** Why the answer is incomplete, or was not delivered completely. */
  readonly reason?: string;
  /** Whether the answer was received completely but not delivered completely. */
  readonly drained?: boolean;
  /** The length of the answer, if it was forwarded without being read. */
  readonly unreadBytes?: number;
  readonly times: CallTimes;
}

/** An answer that must not be forwarded, because its content cannot be determined. */
export class UnreadableAnswer extends WeirError {
  constructor(cause: Error) {
    super('upstream_unreachable', { message: "The provider's answer cannot be read, so it cannot be judged", cause });
  }
}

/** Judges answers, including the errors of providers, and records them in the log. */
@Injectable()
export class AnswerJudge {
  private readonly large = new LargeAnswers();

  constructor(
    @Inject(CallPipeline) private readonly pipeline: CallPipeline,
    @Inject(DocumentReader) private readonly documents: DocumentReader,
  ) {}

  /**
   * Resolves when the event of the answer is in the log. A large answer waits for its turn.
   * @throws UnreadableAnswer when rules could change the answer, but its content cannot be determined; WeirError when the
   * answer cannot be recorded
   */
  judge(answer: AnswerToJudge, limits: UnpackedLimits): Promise<JudgedAnswer> {
    const { call, coding, times } = answer;
    const { length } = answer.body;
    const providerMs = performance.now() - times.sentMs;
    const { accountId } = call.caller;
    return this.large.inTurn({ accountId, length, coding }, limits, () => this.judgeNow(answer, limits, providerMs));
  }

  private async judgeNow(answer: AnswerToJudge, limits: UnpackedLimits, providerMs: number): Promise<JudgedAnswer> {
    const { call, status, contentType, enforceable, headerTexts = NO_HEADERS } = answer;
    const read = await this.read(answer, limits);
    const { texts } = read;
    const { event, canned, judgement } = await this.pipeline.end({
      ...endingOf(call),
      type: isErrorStatus(status) ? 'ai.error' : 'ai.response',
      call: withHeaderTexts(texts.call, headerTexts),
      asked: {
        ledger: call.ledger,
        kind: 'answer',
        enforceable,
        monitorRequested: false,
        hiddenNames: call.storedModel === undefined ? [] : ['model'],
        ...(call.earlier === undefined
          ? { request: { call: call.request, judgement: call.judgement } }
          : { earlierRequest: call.earlier }),
      },
      content: (judged) => contentOf(answer, texts, judged, providerMs),
      canned: (text) => (enforceable && answer.begun !== true ? cannedAnswerTo(call, text, contentType) : undefined),
    });
    if (judgement === undefined) throw new Error('no rule judged an answer');
    const headers = weirHeaders({
      eventId: refuses(judgement.action) ? event.eventId : call.eventId,
      policy: call.policy,
      decision: strongerDecision(call.judgement.action, judgement.action),
      redactions: joinRedactions(call.judgement.redactions, judgement.redactions),
      overheadMs: performance.now() - call.startedMs - providerMs,
    });
    return { ...read, ...ofBody(judgement, texts.call, headerTexts), eventId: event.eventId, headers, canned };
  }

  private async read(answer: AnswerToJudge, limits: UnpackedLimits): Promise<ReadAnswer> {
    const { call, status, contentType, coding, enforceable, unreadBytes } = answer;
    const brokeOff = answer.reason !== undefined && answer.drained !== true;
    if (unreadBytes !== undefined) return { texts: unreadAnswer(unreadBytes) };
    try {
      const body = Buffer.isBuffer(answer.body) ? answer.body : answer.body.bytes;
      const plain = coding === undefined ? body : await unpackBody(body, coding, limits, !brokeOff);
      // Errors of gateways and of the services behind them have many forms, on all routes.
      const dialect = isErrorStatus(status) ? 'generic' : call.target.dialect;
      const texts = await runCooperatively(readingAnswer(dialect, contentType, plain));
      return { texts: await this.withDocuments(call, texts), ...(plain === body ? {} : { plainBody: plain }) };
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      // An answer that was already forwarded, broke off, or cannot be changed is recorded without its texts.
      if (enforceable && planAnswer(call.policy.policy, call.policy.detectors).mode !== 'pass')
        throw new UnreadableAnswer(error);
      return { texts: NO_ANSWER_TEXTS };
    }
  }

  /** Adds the texts of an answer's files to its texts. Nothing can be masked in files. */
  private async withDocuments({ caller, target }: AdmittedCall, texts: AnswerTexts): Promise<AnswerTexts> {
    const { doc, call } = texts;
    const { governed } = target;
    if (call.contents !== undefined) return { ...texts, call: { ...call, contents: { ...call.contents, governed } } };
    const beside =
      texts.beside ?? (doc === undefined ? NOTHING_BESIDE : await runCooperatively(readingEmbedded(doc, call)));
    if (isNothing(beside)) return texts;
    const read = await withFilesRead(beside, this.documents, [caller.accountId, caller.keyId]);
    const whole = withBeside(call, read, governed);
    const own = call.segments.length;
    return {
      ...texts,
      call: whole,
      edited: (edits) => texts.edited(edits.filter(({ segment }) => segment < own)),
      stored: (edits, withUnread) => texts.stored(edits, withUnread, whole),
    };
  }
}

async function contentOf(
  answer: AnswerToJudge,
  texts: AnswerTexts,
  { judgement, masks: all }: Judged,
  providerMs: number,
): Promise<EventContent> {
  const { call, status } = answer;
  const isError = isErrorStatus(status);
  const own = texts.call.segments.length;
  // Headers are not stored.
  const masks = answer.headerTexts === undefined ? all : all.filter(({ segment }) => segment < own);
  const stored = await texts.stored(masks, call.policy.policy.content === 'full');
  const numbering = masks.length === 0 ? null : await numbersOfRequest(call);
  const partial = answer.reason ?? (texts.brokeOff === true ? 'answer_incomplete' : undefined);
  const totalMs = performance.now() - call.startedMs;
  return {
    ...namesOf(call, isError ? undefined : modelOf(texts.call)),
    ...(await storedContentOf(call, stored, { call: texts.call, masks, numbering, ...(judgement && { judgement }) })),
    reason: isError ? (answer.reason ?? errorReason(texts, masks)) : partial,
    usage: await usageOf(answer, texts, partial === undefined || answer.drained === true),
    upstreamStatus: status,
    parentId: call.id,
    latencyMs: { weir: totalMs - providerMs, total: totalMs, provider: providerMs },
  };
}

/** The usage of a call with this answer. @param isWhole whether the provider's whole answer was received */
async function usageOf(
  { call, status }: AnswerToJudge,
  texts: AnswerTexts,
  isWhole: boolean,
): Promise<Usage | undefined> {
  // An error costs nothing.
  if (isErrorStatus(status)) return undefined;
  // The provider charges the input also if no text arrived.
  const isSent = !isWhole && call.target.governed;
  const usage = isSent
    ? estimatingSentUsage(call.request, texts.call)
    : estimatingUsage(call.request, texts.call, isWhole);
  return runCooperatively(usage);
}

/** The texts of an answer, and behind them those of its headers. */
function withHeaderTexts(call: DecodedCall, headerTexts: readonly HeaderText[]): DecodedCall {
  if (headerTexts.length === 0) return call;
  return { ...call, segments: [...call.segments, ...headerTexts.map(({ text }) => text)] };
}

/** The judgement with the edits of the body, and the headers in which it has others. */
function ofBody(
  judgement: Judgement,
  { segments: { length } }: DecodedCall,
  headerTexts: readonly HeaderText[],
): Pick<JudgedAnswer, 'judgement' | 'removedHeaders'> {
  if (headerTexts.length === 0) return { judgement, removedHeaders: NO_NAMES };
  const edits = judgement.edits.filter(({ segment }) => segment < length);
  const removed = judgement.edits.flatMap(({ segment }) => headerTexts[segment - length]?.name ?? []);
  return { judgement: { ...judgement, edits }, removedHeaders: new Set(removed) };
}

function isNothing({ texts, unread, media, files }: EmbeddedReading): boolean {
  return [texts, unread, media, files].every(({ length }) => length === 0);
}
