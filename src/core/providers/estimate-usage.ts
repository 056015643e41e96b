import type { DecodedCall, Segment, SegmentRole, Usage } from '../model/call.js';
import { dialectFacts } from './dialects.js';

/** OpenAI's estimate for English: https://help.openai.com/en/articles/4936856-what-are-tokens-and-how-to-count-them */
const ASCII_CHARACTERS_PER_TOKEN = 4;
/** Texts that a model generates and that are billed as output. */
const WRITTEN: ReadonlySet<SegmentRole> = new Set(['assistant', 'reasoning', 'tool_call']);

/**
 * Estimated tokens of a text: one per four ASCII characters, rounded up, plus one per other character. Overestimates languages with
 * non-ASCII scripts.
 */
export function estimateTokens(text: string): number {
  let others = 0;
  for (const character of text) if (character > '\u007f') others++;
  const ascii = text.length - text.replaceAll(/[\0-\u007f]+/g, '').length;
  return Math.ceil(ascii / ASCII_CHARACTERS_PER_TOKEN) + others;
}

/**
 * The tokens of a call, as reported by the provider. Missing counts are estimated from the texts of request and answer, and marked as
 * estimated. Counts that a stream reported early serve as minimum.
 *
 * @param whole false if the answer was interrupted: its reported counts can then be too low
 * @returns undefined if the provider reported nothing and the call has no text output, such as embeddings
 */
export function usageOf(request: DecodedCall, answer: DecodedCall, whole: boolean): Usage | undefined {
  const facts = dialectFacts(answer.dialect);
  if (facts.usage === 'never' && whole) return answer.usage ?? untoldUsage(request);
  const seen = answer.usage;
  const texts = facts.writes === 'text' ? writtenTexts(answer.segments) : [];
  if (texts.length === 0 || (whole && seen?.completionTokens !== undefined)) return seen;
  const written = sum(texts);
  const reported = seen?.completionTokens ?? 0;
  if (seen?.promptTokens !== undefined && reported >= written) return seen;
  return {
    ...seen,
    promptTokens: seen?.promptTokens ?? sum(inputTexts(request.segments)),
    completionTokens: Math.max(reported, written),
    estimated: true,
  };
}

/** The usage of a call whose answer never reports tokens: its estimated input. */
function untoldUsage(request: DecodedCall): Usage {
  return { promptTokens: sum(inputTexts(request.segments)), completionTokens: 0, estimated: true };
}

/** The tokens of an interrupted call: the reported counts, or estimates for its input and the received part of its output. */
export function sentUsage(request: DecodedCall, seen: DecodedCall): Usage {
  const usage = usageOf(request, seen, false) ?? {};
  if (usage.promptTokens !== undefined) return usage;
  return { ...usage, promptTokens: sum(inputTexts(request.segments)), estimated: true };
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

function sum(texts: readonly string[]): number {
  return texts.reduce((tokens, text) => tokens + estimateTokens(text), 0);
}
