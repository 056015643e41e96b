import type { JsonDocument } from '../json/json-document.js';
import { isArray, isObject, numberOf, stringOf, type JsonNode } from '../json/json-node.js';
import { atOnce, THINGS_BETWEEN_STOPS, type Steps } from '../steps/steps.js';
import type { TextEdit } from '../text/edit.js';

/** Names of log probabilities: of OpenAI, of Gemini's candidates in both spellings, and of llama.cpp. */
const LOGPROBS: ReadonlySet<string> = new Set([
  'logprobs',
  'logprobsResult',
  'logprobs_result',
  'completion_probabilities',
]);
/** Members of a token in a list under another name, as text-generation-inference returns it. */
const OF_TOKEN = ['logprob', 'logProbability', 'log_probability'];
/** Matches what may be a list or an object of log probabilities, or an escape that may encode a name; other texts have none. */
const MAY_HOLD_LOGPROBS =
  /"(?:logprobs(?:Result|_result)?|completion_probabilities)"[ \t\n\r]*:[ \t\n\r]*[[{]|"log_?[pP]rob(?:ability)?"|\\u/;

/** Whether JSON text may have log probabilities: without them, it need not be searched for them. */
export function mayHoldLogprobs(json: string): boolean {
  return MAY_HOLD_LOGPROBS.test(json);
}

/**
 * Edits that empty all log probabilities of an answer: `null`, or `[]` where it is a list. Log probabilities repeat the text
 * token by token (and as bytes), so an answer in which something is redacted must not keep them. They are recognised by their names, and
 * any list by its tokens with a log probability.
 */
export function logprobEdits(doc: JsonDocument): TextEdit[] {
  return atOnce(emptyingLogprobs(doc));
}

/** `logprobEdits` in steps. */
export function* emptyingLogprobs(doc: JsonDocument): Steps<TextEdit[]> {
  const edits: TextEdit[] = [];
  if (!mayHoldLogprobs(doc.text)) return edits;
  let visited = 0;
  function* visit(node: JsonNode): Steps<void> {
    if (++visited % THINGS_BETWEEN_STOPS === 0) yield;
    for (const item of isArray(node) ? node.items : []) if (isContainer(item)) yield* visit(item);
    if (!isObject(node)) return;
    for (const { key, value, start, end } of node.members) {
      if (!isContainer(value)) continue;
      if (!LOGPROBS.has(key.text) && !(yield* isTokenList(value))) yield* visit(value);
      else edits.push({ start, end, replacement: isArray(value) ? '[]' : 'null' });
    }
  }
  yield* visit(doc.root);
  return edits;
}

function isContainer(node: JsonNode): boolean {
  return isArray(node) || isObject(node);
}

/** Whether a list contains tokens with their log probabilities; a list of answers that each have one is not such a list. */
function* isTokenList(node: JsonNode): Steps<boolean> {
  if (!isArray(node)) return false;
  let visited = 0;
  for (const item of node.items) {
    if (isToken(item)) return true;
    if (++visited % THINGS_BETWEEN_STOPS === 0) yield;
  }
  return false;
}

function isToken(item: JsonNode): boolean {
  const isNamed = stringOf(item, 'token') !== undefined || numberOf(item, 'id') !== undefined;
  return isNamed && OF_TOKEN.some((key) => numberOf(item, key) !== undefined);
}
