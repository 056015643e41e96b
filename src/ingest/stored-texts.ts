/** The stored part of an event's texts, according to the policy's `content`. */
import {
  applyEdits,
  applyingEdits,
  emptyingLogprobs,
  fileEdits,
  filtered,
  joinedLists,
  liftingEdits,
  mapped,
  markingStored,
  mergingEdits,
  Numbering,
  rulesOfMasks,
  type ContentCapture,
  type Edit,
  type JsonDocument,
  type Mask,
  type Segment,
  type Steps,
  type StoredMarks,
  type TextEdit,
} from '../core/index.js';
import type { Caller } from '../access/index.js';
import type { EventContent, Judged } from '../calls/index.js';
import { distinctly, runCooperatively, type Judgement, type JudgementService } from '../judgement/index.js';
import type { ActivePolicy } from '../policy-store/index.js';
import type { Span, Submission } from './submission.js';

export interface StoredTexts {
  readonly payload?: string;
  readonly metadata?: string;
  /** Ranges of the body's text that the stored payload omits, in addition to the masks. */
  readonly removals: readonly TextEdit[];
}

/** The masks of a submission's texts for storage. */
export interface Masks {
  readonly payload: readonly Mask[];
  readonly metadata: readonly Mask[];
}

/**
 * Payload and metadata as JSON text: masked under `redacted`, as received under `full` (when nothing is to be masked), no payload under
 * `none`. Metadata is needed for searches and budgets, so it is stored under `none`, masked.
 */
export function* storedTexts(capture: ContentCapture, submission: Submission, masks: Masks): Steps<StoredTexts> {
  const { doc, call, payloadSpan, metadata } = submission;
  const files = capture === 'full' ? [] : yield* fileEdits(doc, call, masks.payload);
  const removals = masks.payload.length === 0 ? files : joinedLists([files, yield* emptyingLogprobs(doc)]);
  return {
    removals,
    ...(capture === 'none' || payloadSpan === undefined
      ? {}
      : { payload: yield* sliceWithEdits(doc, payloadSpan, call.segments, masks.payload, removals) }),
    ...(metadata === undefined
      ? {}
      : { metadata: yield* sliceWithEdits(doc, metadata.span, metadata.segments, masks.metadata) }),
  };
}

/**
 * The masks of a name that has its own column: those of a text that equals it. A session id that is an e-mail address must not stay
 * readable next to its masked metadata.
 */
function masksOfName(name: string, { call, metadata }: Submission, masks: Masks): readonly Edit[] {
  return maskedIn(call.segments, masks.payload, name) ?? maskedIn(metadata?.segments ?? [], masks.metadata, name) ?? [];
}

function maskedIn(segments: readonly Segment[], edits: readonly Edit[], name: string): readonly Edit[] | undefined {
  const masked = segments.findIndex(
    ({ text }, index) => text === name && edits.some(({ segment }) => segment === index),
  );
  return masked === -1 ? undefined : edits.filter(({ segment }) => segment === masked);
}

/**
 * The raw text of one value with ranges of its strings replaced; all other characters are unchanged.
 * @param removals further ranges of the document's text to omit
 */
export function* sliceWithEdits(
  doc: JsonDocument,
  span: Span,
  segments: readonly Segment[],
  edits: readonly Edit[],
  removals: readonly TextEdit[] = [],
): Steps<string> {
  const raw = doc.text.slice(span.start, span.end);
  if (edits.length === 0 && removals.length === 0) return raw;
  const lifted = yield* liftingEdits(doc, segments, edits);
  const all = yield* mergingEdits(joinedLists([lifted, removals]));
  const inside = yield* filtered(all, ({ start, end }) => start >= span.start && end <= span.end);
  const moved = yield* mapped(inside, ({ start, end, replacement }) => ({
    start: start - span.start,
    end: end - span.start,
    replacement,
  }));
  return yield* applyingEdits(raw, moved);
}

/**
 * Creates the marks that are stored with the payload. Values of an answer are not numbered: they may also occur in the request, with which
 * they cannot be compared here.
 */
export function marksOf(
  { doc, call, event }: Submission,
  {
    masks,
    removals,
    judgement,
  }: { readonly masks: readonly Mask[]; readonly removals: readonly TextEdit[]; readonly judgement?: Judgement },
): Steps<StoredMarks> {
  const isAnswer = event.type === 'ai.response' || event.type === 'ai.error';
  return markingStored({
    form: { kind: 'document', doc, removals },
    segments: call.segments,
    masks,
    ruleOf: rulesOfMasks(judgement?.fired ?? [], call.newToolCalls),
    numbering: isAnswer ? null : new Numbering(),
  });
}

/** The data from which the stored content of an event is created. */
export interface Storing {
  readonly submission: Submission;
  readonly policy: ActivePolicy;
  readonly judging: Pick<JudgementService, 'maskTexts' | 'tokenHash'>;
  readonly caller: Caller;
  /** The trace id in its stored form. */
  readonly traceId: string;
  /** Monotonic time in milliseconds at which the body had arrived. */
  readonly startedMs: number;
}

/** Returns a function that creates the content of the event once its texts are judged. */
export function storing({ submission, policy, judging, caller, traceId, startedMs }: Storing) {
  const { event, call, metadata, requestId, sessionId, costNanoUsd } = submission;
  return async ({ judgement, masks: payload }: Judged): Promise<EventContent> => {
    const masks: Masks = {
      payload,
      metadata:
        metadata === undefined
          ? []
          : await judging.maskTexts(policy, metadata.segments, {
              accountId: caller.accountId,
              comesAgainIn: caller.appId,
            }),
    };
    const { removals, ...texts } = await runCooperatively(storedTexts(policy.policy.content, submission, masks));
    const marks =
      texts.payload === undefined
        ? undefined
        : await runCooperatively(marksOf(submission, { masks: payload, removals, ...(judgement && { judgement }) }));
    const failed = event.type === 'ai.error' ? (event.payload ?? undefined) : undefined;
    const error = typeof failed?.error === 'object' ? failed.error : undefined;
    const reason = error?.type ?? undefined;
    const masksOf = (name: string) => masksOfName(name, submission, masks);
    const weirMs = performance.now() - startedMs;
    return {
      ...{ requestId, costNanoUsd, marks, traceId },
      ...texts,
      sessionId: sessionId && (await distinctly(judging, caller.accountId, sessionId, masksOf(sessionId))),
      provider: submission.storedProvider ?? submission.provider,
      model: submission.storedModel ?? submission.model,
      reason: reason && applyEdits(reason, masksOf(reason)),
      usage: event.type === 'ai.response' ? call.usage : undefined,
      upstreamStatus: error?.status ?? undefined,
      latencyMs: { weir: Math.round(weirMs * 1000) / 1000, provider: failed?.latency_ms ?? undefined },
    };
  };
}
