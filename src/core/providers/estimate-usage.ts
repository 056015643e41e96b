import type { DecodedCall, Segment, SegmentRole, Usage } from '../model/call.js';
import { isStop, type Steps } from '../steps/steps.js';
import { dialectFacts } from './dialects.js';

/** OpenAI's estimate for English: https://help.openai.com/en/articles/4936856-what-are-tokens-and-how-to-count-them */
const ASCII_CHARACTERS_PER_TOKEN = 4;
/** The number of characters counted between two stops. */
const CHARACTERS_BETWEEN_STOPS = 65_536;
/** Texts that a model generates and that are billed as output. */
const WRITTEN: ReadonlySet<SegmentRole> = new Set(['assistant', 'reasoning', 'tool_call']);

/**
 * Estimated tokens of a text: one per four ASCII characters, rounded up, plus one per other character. Overestimates languages with
 * non-ASCII scripts.
 */
export function* estimatingTokens(text: string): Steps<number> {
  let ascii = 0;
  let others = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit <= 0x7f) ascii++;
    else if (!isSecondHalf(text, at, unit)) others++;
    if (at % CHARACTERS_BETWEEN_STOPS === CHARACTERS_BETWEEN_STOPS - 1) yield;
  }
  return Math.ceil(ascii / ASCII_CHARACTERS_PER_TOKEN) + others;
}

/** Whether a unit is the second one of a character that is written with two. */
function isSecondHalf(text: string, at: number, unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff && at > 0 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}

/**
 * The tokens of a call, as reported by the provider. Missing counts are estimated from the texts of request and answer, and marked as
 * estimated. Counts that a stream reported early serve as minimum.
 *
 * @param whole false if the answer was interrupted: its reported counts can then be too low
 * @returns undefined if the provider reported nothing and the call has no text output, such as embeddings
 */
export function* estimatingUsage(request: DecodedCall, answer: DecodedCall, whole: boolean): Steps<Usage | undefined> {
  const facts = dialectFacts(answer.dialect);
  if (facts.usage === 'never' && whole) return answer.usage ?? (yield* estimatingUnreported(request));
  const seen = answer.usage;
  const texts = facts.writes === 'text' ? writtenTexts(answer.segments) : [];
  if (texts.length === 0 || (whole && seen?.completionTokens !== undefined)) return seen;
  const written = yield* summing(texts);
  const reported = seen?.completionTokens ?? 0;
  if (seen?.promptTokens !== undefined && reported >= written) return seen;
  return {
    ...seen,
    promptTokens: seen?.promptTokens ?? (yield* summing(inputTexts(request.segments))),
    completionTokens: Math.max(reported, written),
    estimated: true,
  };
}

/** The usage of a call whose answer never reports tokens: its estimated input. */
function* estimatingUnreported(request: DecodedCall): Steps<Usage> {
  return { promptTokens: yield* summing(inputTexts(request.segments)), completionTokens: 0, estimated: true };
}

/** The tokens of an interrupted call: the reported counts, or estimates for its input and the received part of its output. */
export function* estimatingSentUsage(request: DecodedCall, seen: DecodedCall): Steps<Usage> {
  const usage = (yield* estimatingUsage(request, seen, false)) ?? {};
  if (usage.promptTokens !== undefined) return usage;
  return { ...usage, promptTokens: yield* summing(inputTexts(request.segments)), estimated: true };
}

/** Texts of headers and of the URL are not sent to the model. */
function inputTexts(segments: readonly Segment[]): string[] {
  return segments.flatMap(({ ref, role, text }) => (ref < 0 && role === 'metadata' ? [] : [text]));
}

/** The distinct texts that the model wrote, without field names: a stream may repeat a text in its last events. */
function writtenTexts(segments: readonly Segment[]): string[] {
  const written = segments.filter(
    ({ role, path, text }) => WRITTEN.has(role) && path !== text && !path.endsWith(`.${text}`),
  );
  return [...new Set(written.map(({ text }) => text))];
}

function* summing(texts: readonly string[]): Steps<number> {
  let tokens = 0;
  for (const [index, text] of texts.entries()) {
    tokens += yield* estimatingTokens(text);
    if (isStop(index)) yield;
  }
  return tokens;
}
