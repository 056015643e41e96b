import type { DecodedCall, Segment, SegmentRole, Usage } from '../model/call.js';
import { dialectFacts } from './dialects.js';

/** English text, https://help.openai.com/en/articles/4936856-what-are-tokens-and-how-to-count-them */
const ASCII_CHARACTERS_PER_TOKEN = 4;
/** What a model writes, and is paid for. */
const WRITTEN: ReadonlySet<SegmentRole> = new Set(['assistant', 'reasoning', 'tool_call']);

/**
 * About how many tokens a text is: a quarter of its ASCII characters, and each other character, rounded up. It errs
 * upward for languages that are not written in ASCII.
 */
export function estimateTokens(text: string): number {
  let others = 0;
  for (const character of text) if (character > '\u007f') others++;
  const ascii = text.length - text.replaceAll(/[\0-\u007f]+/g, '').length;
  return Math.ceil(ascii / ASCII_CHARACTERS_PER_TOKEN) + others;
}

/**
 * The tokens of a call: as the provider reported them, or, where it did not come to that, estimated from the texts that
 * went out and came in, and marked so. Counts that a stream reported early stay as the least that holds.
 *
 * @param whole false when the answer broke off: then what it reported may be less than what was written
 * @returns undefined for calls that write nothing, such as embeddings, when the provider reported nothing
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

/** The input of a call whose answer never tells its tokens. */
function untoldUsage(request: DecodedCall): Usage {
  return { promptTokens: sum(inputTexts(request.segments)), completionTokens: 0, estimated: true };
}

/** The tokens of a call that broke off: what was reported, else its input, and what was seen of its output. */
export function sentUsage(request: DecodedCall, seen: DecodedCall): Usage {
  const usage = usageOf(request, seen, false) ?? {};
  if (usage.promptTokens !== undefined) return usage;
  return { ...usage, promptTokens: sum(inputTexts(request.segments)), estimated: true };
}

/** Without names of fields, and once where a stream repeats a text in its last events. */
/** What stands in headers and in the URL is no input of a model. */
function inputTexts(segments: readonly Segment[]): string[] {
  return segments.flatMap(({ ref, role, text }) => (ref < 0 && role === 'metadata' ? [] : [text]));
}

function writtenTexts(segments: readonly Segment[]): string[] {
  const written = segments.filter(
    ({ role, path, text }) => WRITTEN.has(role) && path !== text && !path.endsWith(`.${text}`),
  );
  return [...new Set(written.map(({ text }) => text))];
}

function sum(texts: readonly string[]): number {
  return texts.reduce((tokens, text) => tokens + estimateTokens(text), 0);
}
