import { isArray, isObject, memberOf, stringOf, type JsonNode } from '../core/index.js';
import type { SeveralValues } from './body-form.js';
import type { BodyPiece } from './body-pieces.js';

/** Whether an answer is declared as lines of JSON. */
export function isOfLines(contentType: string | undefined): boolean {
  return /^application\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-lines|json-seq|stream\+json)\b/i.test(contentType ?? '');
}

/**
 * Whether values may be the pieces of one answer: several objects on one line each, unless they are the records of a file. No member marks
 * pieces in all formats, while every record has a member that no piece has. Other text, such as an end mark or a line that was cut off, may
 * be between them: clients ignore it, or fail only when they reach it.
 */
export function areEvents({ body, pieces }: SeveralValues): boolean {
  const { root } = body.doc;
  const objects = isArray(root) ? root.items.filter((item) => isObject(item)) : [];
  const isOfOneLine = (piece: BodyPiece): boolean =>
    Buffer.isBuffer(piece) || piece.text !== undefined || !/[\r\n]/.test(piece.json);
  return objects.length > 1 && !objects.every(isRecord) && pieces.every(isOfOneLine);
}

/**
 * Whether an object is a line of a file: a conversation for training, or a request or result of a batch, which has the id of its request
 * (`custom_id` of OpenAI and Anthropic, `key` of Gemini). The `response` in each piece of Ollama's `/api/generate` is a string.
 */
function isRecord(value: JsonNode): boolean {
  if (isArray(memberOf(value, 'messages'))) return true;
  if (['request', 'response'].some((name) => isObject(memberOf(value, name)))) return true;
  return ['custom_id', 'key'].some((name) => stringOf(value, name) !== undefined);
}

/** Whether JSON that may contain `NaN` and infinities contains none. */
export function isStrict(json: string): boolean {
  if (!/\b(?:NaN|Infinity)\b/.test(json)) return true;
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
