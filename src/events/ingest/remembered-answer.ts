/**
 * The form in which an answer is kept for retries. A redacted payload may still hold findings that no rule redacted
 * (a monitored secret, say); such a payload is not kept, only which ranges of which texts were replaced, and it is
 * made again from the retry's own, equal body.
 */
import type { ContentCapture, Edit, JsonDocument, Segment } from '../../core/index.js';
import { WeirError } from '../../http/index.js';
import type { RememberedAnswer } from '../event.js';
import { sliceWithEdits } from './stored-texts.js';
import { readSubmission } from './submission.js';

/** An answer of 200 to an `ai.request`, as JSON text without the payload, and the payload's text when there is one. */
export interface RequestAnswer {
  readonly head: string;
  readonly payload?: string;
}

/** One replaced range, found again by the text's path; texts of one path count from 0. */
interface PathEdit {
  readonly path: string;
  readonly nth: number;
  readonly length: number;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** Marks a kept answer whose payload is made again. No JSON text starts with it. */
const REMADE = '@remake ';

/** The answer's JSON text. */
export function bodyOf({ head, payload }: RequestAnswer): string {
  return payload === undefined ? head : `${head.slice(0, -1)},"payload":${payload}}`;
}

/**
 * @param edits what the answer's payload has replaced
 * @param masks what storage masks in the same texts: the payload is kept only when the edits leave none of it standing
 */
export function rememberRequest(
  answer: RequestAnswer,
  capture: ContentCapture,
  segments: readonly Segment[],
  edits: readonly Edit[],
  masks: readonly Edit[],
): RememberedAnswer {
  const mayKeep =
    answer.payload === undefined || capture === 'full' || (capture === 'redacted' && covers(edits, masks));
  if (mayKeep) return { status: 200, body: bodyOf(answer) };
  const pathEdits = edits.map((edit) => toPathEdit(edit, segments));
  return { status: 200, body: `${REMADE}${JSON.stringify(pathEdits)}\n${answer.head}` };
}

/**
 * The body to answer a retry with.
 *
 * @param doc the retry's own body, equal to the first one as JSON
 * @throws {WeirError} 503 when the payload cannot be made again: better no answer than an unredacted one
 */
export function recallBody(stored: RememberedAnswer, doc: JsonDocument): string {
  if (!stored.body.startsWith(REMADE)) return stored.body;
  const newline = stored.body.indexOf('\n');
  const pathEdits = JSON.parse(stored.body.slice(REMADE.length, newline)) as PathEdit[];
  const { call, payloadSpan } = readSubmission(doc);
  const edits = pathEdits.map((edit) => fromPathEdit(edit, call.segments));
  return bodyOf({
    head: stored.body.slice(newline + 1),
    payload: sliceWithEdits(doc, payloadSpan, call.segments, edits),
  });
}

function toPathEdit({ segment, start, end, replacement }: Edit, segments: readonly Segment[]): PathEdit {
  const { path, text } = segments[segment] ?? { path: '', text: '' };
  const nth = segments.slice(0, segment).filter((each) => each.path === path).length;
  return { path, nth, length: text.length, start, end, replacement };
}

function fromPathEdit({ path, nth, length, start, end, replacement }: PathEdit, segments: readonly Segment[]): Edit {
  const found = segments.flatMap((each, index) => (each.path === path ? [index] : []))[nth];
  if (found === undefined || segments[found]?.text.length !== length) {
    throw new WeirError('guardrail_unavailable', { retryAfterSeconds: 1 });
  }
  return { segment: found, start, end, replacement };
}

/** Whether every masked range lies inside a replaced one. */
function covers(edits: readonly Edit[], masks: readonly Edit[]): boolean {
  return masks.every((mask) =>
    edits.some(({ segment, start, end }) => segment === mask.segment && start <= mask.start && end >= mask.end),
  );
}
