import type { JsonDocument } from '../json/json-document.js';
import { isArray, isObject, type JsonNode } from '../json/json-node.js';
import { atOnce, THINGS_BETWEEN_STOPS, type Steps } from '../steps/steps.js';
import type { TextEdit } from '../text/edit.js';

/** Names of log probabilities: of OpenAI, and of Gemini's candidates in both spellings. */
const LOGPROBS: ReadonlySet<string> = new Set(['logprobs', 'logprobsResult', 'logprobs_result']);

/**
 * Edits that empty all log probabilities of an answer: `null`, or `[]` where it is a list. Log probabilities repeat the text
 * token by token (and as bytes), so an answer in which something is redacted must not keep them.
 */
export function logprobEdits(doc: JsonDocument): TextEdit[] {
  return atOnce(emptyingLogprobs(doc));
}

/** `logprobEdits` in steps. */
export function* emptyingLogprobs(doc: JsonDocument): Steps<TextEdit[]> {
  const edits: TextEdit[] = [];
  let visited = 0;
  function* visit(node: JsonNode): Steps<void> {
    if (++visited % THINGS_BETWEEN_STOPS === 0) yield;
    for (const item of isArray(node) ? node.items : []) if (isContainer(item)) yield* visit(item);
    if (!isObject(node)) return;
    for (const { key, value, start, end } of node.members) {
      if (!isContainer(value)) continue;
      if (!LOGPROBS.has(key.text)) yield* visit(value);
      else edits.push({ start, end, replacement: isArray(value) ? '[]' : 'null' });
    }
  }
  yield* visit(doc.root);
  return edits;
}

function isContainer(node: JsonNode): boolean {
  return isArray(node) || isObject(node);
}
