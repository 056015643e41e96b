/**
 * The form in which an answer is stored for retries. Next to a payload, its replaced ranges and removed messages are stored. Texts have a
 * shorter retention than ids: once the text of the payload has been deleted, the payload is created again from the body of the retry, which
 * equals the first body. Unless `content` is `full`, a payload that may still contain findings that no rule redacted (such as a monitored
 * secret) is not stored.
 */
import {
  emptyingLogprobs,
  joinedLists,
  masksTexts,
  removalsOf,
  type ContentCapture,
  type Edit,
  type JsonDocument,
  type Segment,
  type Steps,
  type TextEdit,
} from '../core/index.js';
import type { Stored } from '../calls/index.js';
import { errorAnswer, WeirError } from '../http/index.js';
import { runCooperatively } from '../judgement/index.js';
import type { ActivePolicy } from '../policy-store/index.js';
import { ANSWER_GONE, type RememberedAnswer } from '../events/index.js';
import { sliceWithEdits } from './stored-texts.js';
import { readingSubmission, type Span, type Submission } from './submission.js';

/** An answer of 200 to an `ai.request`, as JSON text without the payload, and the payload's text when there is one. */
export interface RequestAnswer {
  readonly head: string;
  readonly payload?: string;
}

/** An answer ready to be sent; `body` is JSON text. */
export interface IngestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An answer in the form that is stored for retries, and in the form that is sent now. */
export interface AnswerWithReplay extends RememberedAnswer {
  readonly sent: IngestAnswer;
}

/** One replaced range, located by the path of its text; texts with the same path are numbered from 0. */
interface PathEdit {
  readonly path: string;
  readonly nth: number;
  readonly length: number;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** The changes to a payload, independent of the formatting of the body. */
interface Changes {
  readonly edits: readonly PathEdit[];
  /** Indices of removed messages. */
  readonly dropped: readonly number[];
}

/** Prefix of a stored answer whose payload is created again. No JSON text starts with it. */
const REMADE = '@remake ';

/** The data of an answer that does not depend on the judgement. */
export interface Answering {
  readonly submission: Submission;
  readonly policy: ActivePolicy;
  readonly traceId: string;
  /** Base URL of the service. */
  readonly baseUrl: string;
  /**
   * Whether the event has its client's own id. Otherwise there is no retry that could receive the answer: its body would contain the
   * service's id, which the first body did not.
   */
  readonly isRepeatable: boolean;
}

/** Creates the answers of a passed and a refused event, with their stored forms for retries. */
export function answering(given: Answering) {
  return {
    passed: (stored: Stored): Promise<AnswerWithReplay> => answerTo(given, stored),
    refused: (refusal: WeirError): AnswerWithReplay => {
      const sent = errorAnswer(refusal, given.traceId, given.baseUrl);
      return { status: sent.status, body: given.isRepeatable ? sent.body : ANSWER_GONE, sent };
    },
  };
}

/** The answer with status 200 and the outcome of the event. */
async function answerTo(given: Answering, stored: Stored): Promise<AnswerWithReplay> {
  const { event, verdict } = stored;
  if (event.type === 'ai.request') return answerToRequest(given, stored);
  const body = JSON.stringify({
    event_id: event.eventId,
    ...(event.type === 'ai.response' ? { status: 'recorded', violations: verdict.violations } : {}),
  });
  return {
    status: 200,
    body: given.isRepeatable ? body : ANSWER_GONE,
    sent: { status: 200, headers: {}, body },
  };
}

async function answerToRequest(
  { submission: { doc, payloadSpan, call }, policy, isRepeatable }: Answering,
  { judgement, verdict, masks, event }: Stored,
): Promise<AnswerWithReplay> {
  const { decision = 'allow', violations, redactions } = verdict;
  const edits = masksTexts(decision) ? (judgement?.edits ?? []) : [];
  const repair = masksTexts(decision) ? judgement?.repair : undefined;
  const head = JSON.stringify({ event_id: event.eventId, decision, violations, redactions });
  const answer: RequestAnswer = {
    head,
    ...(masksTexts(decision) && payloadSpan !== undefined
      ? { payload: await runCooperatively(changedPayload(doc, payloadSpan, call.segments, edits, repair?.removals)) }
      : {}),
  };
  const sent = { status: 200, headers: {}, body: bodyOf(answer) };
  const kept = isRepeatable
    ? rememberRequest(answer, policy.policy.content, call.segments, edits, masks, repair?.dropped)
    : { status: 200, body: ANSWER_GONE };
  return { ...kept, sent };
}

/** The payload after its changes. Token texts beside a masked text would reveal it, so they are emptied. */
function* changedPayload(
  doc: JsonDocument,
  span: Span,
  segments: readonly Segment[],
  edits: readonly Edit[],
  removals: readonly TextEdit[] = [],
): Steps<string> {
  const isChanged = edits.length > 0 || removals.length > 0;
  const all = isChanged ? joinedLists([removals, yield* emptyingLogprobs(doc, 'request')]) : removals;
  return yield* sliceWithEdits(doc, span, segments, edits, all);
}

/** The answer's JSON text. */
export function bodyOf({ head, payload }: RequestAnswer): string {
  return payload === undefined ? head : `${head.slice(0, -1)},"payload":${payload}}`;
}

/**
 * @param edits replaced ranges of the answer's payload
 * @param masks ranges of the same texts that storage masks: the payload is stored only if the edits cover all of them
 * @param dropped indices of the messages that are not in the answer's payload
 */
export function rememberRequest(
  answer: RequestAnswer,
  capture: ContentCapture,
  segments: readonly Segment[],
  edits: readonly Edit[],
  masks: readonly Edit[],
  dropped: readonly number[] = [],
): RememberedAnswer {
  if (answer.payload === undefined) return { status: 200, body: bodyOf(answer) };
  const places = edits.length === 0 ? [] : placesOf(segments);
  const changes: Changes = { edits: edits.map((edit) => toPathEdit(edit, segments, places)), dropped };
  const remade = `${REMADE}${JSON.stringify(changes)}\n${answer.head}`;
  const mayKeep = capture === 'full' || (capture === 'redacted' && (masks.length === 0 || covers(edits, masks)));
  return mayKeep ? { status: 200, body: bodyOf(answer), remade } : { status: 200, body: remade };
}

/**
 * The body of the answer to a retry, in steps: the payload may have to be created again from a body of megabytes.
 *
 * @param doc the retry's own body, equal to the first one as JSON
 * @throws {WeirError} 503 if the payload cannot be created again: the service fails closed rather than send unredacted text
 */
export function* recallingBody(stored: RememberedAnswer, doc: JsonDocument): Steps<string> {
  if (stored.body === ANSWER_GONE) throw new WeirError('guardrail_unavailable', { retryAfterSeconds: 1 });
  if (!stored.body.startsWith(REMADE)) return stored.body;
  const newline = stored.body.indexOf('\n');
  const changes = changesIn(JSON.parse(stored.body.slice(REMADE.length, newline)) as Changes | PathEdit[]);
  const { call, payloadSpan } = yield* readingSubmission(doc);
  const byPath = Map.groupBy(call.segments.keys(), (segment) => call.segments[segment]!.path);
  const edits = changes.edits.map((edit) => fromPathEdit(edit, call.segments, byPath));
  const head = stored.body.slice(newline + 1);
  if (payloadSpan === undefined) return bodyOf({ head });
  return bodyOf({
    head,
    payload: yield* changedPayload(doc, payloadSpan, call.segments, edits, removalsOf(doc, changes.dropped)),
  });
}

/** Answers stored by versions that could not remove messages are lists of edits. */
function changesIn(kept: Changes | PathEdit[]): Changes {
  return Array.isArray(kept) ? { edits: kept, dropped: [] } : kept;
}

/** For each text, the number of earlier texts with the same path. */
function placesOf(segments: readonly Segment[]): readonly number[] {
  const counts = new Map<string, number>();
  return segments.map(({ path }) => {
    const nth = counts.get(path) ?? 0;
    counts.set(path, nth + 1);
    return nth;
  });
}

function toPathEdit(
  { segment, start, end, replacement }: Edit,
  segments: readonly Segment[],
  places: readonly number[],
): PathEdit {
  const { path, text } = segments[segment] ?? { path: '', text: '' };
  return { path, nth: places[segment] ?? 0, length: text.length, start, end, replacement };
}

function fromPathEdit(
  { path, nth, length, start, end, replacement }: PathEdit,
  segments: readonly Segment[],
  byPath: ReadonlyMap<string, readonly number[]>,
): Edit {
  const found = byPath.get(path)?.[nth];
  if (found === undefined || segments[found]?.text.length !== length) {
    throw new WeirError('guardrail_unavailable', { retryAfterSeconds: 1 });
  }
  return { segment: found, start, end, replacement };
}

/** Whether every masked range lies inside a replaced one. */
function covers(edits: readonly Edit[], masks: readonly Edit[]): boolean {
  const bySegment = Map.groupBy(edits, ({ segment }) => segment);
  for (const own of bySegment.values()) own.sort((a, b) => a.start - b.start);
  return masks.every((mask) => {
    // Replaced ranges do not overlap: only the last range that begins at or before the start of a mask can cover the mask.
    const own = bySegment.get(mask.segment) ?? [];
    let [low, high] = [0, own.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (own[middle]!.start <= mask.start) low = middle + 1;
      else high = middle;
    }
    return (own[low - 1]?.end ?? -1) >= mask.end;
  });
}
