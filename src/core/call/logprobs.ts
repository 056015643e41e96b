import type { JsonDocument } from '../json/json-document.js';
import { isArray, isObject, type JsonNode } from '../json/json-node.js';
import type { TextEdit } from '../text/edit.js';

/** Of OpenAI, and of Gemini's candidates in both spellings. */
const LOGPROBS: ReadonlySet<string> = new Set(['logprobs', 'logprobsResult', 'logprobs_result']);

/**
 * Edits that empty all log probabilities of an answer: `null`, or `[]` where it is a list. Log probabilities repeat the text
 * token by token (and as bytes), so an answer in which something is redacted must not keep them.
 */
export function logprobEdits(doc: JsonDocument): TextEdit[] {
  const edits: TextEdit[] = [];
  const visit = (node: JsonNode): void => {
    if (isArray(node)) node.items.forEach(visit);
    if (!isObject(node)) return;
    for (const { key, value, start, end } of node.members) {
      if (!LOGPROBS.has(key.text)) visit(value);
      else if (isArray(value) || isObject(value))
        edits.push({ start, end, replacement: isArray(value) ? '[]' : 'null' });
    }
  };
  visit(doc.root);
  return edits;
}
