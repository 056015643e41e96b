import type { JsonDocument } from '../json/json-document.js';
import { isArray, isObject, isString, numberOf, stringOf, type JsonNode } from '../json/json-node.js';
import { atOnce, THINGS_BETWEEN_STOPS, type Steps } from '../steps/steps.js';
import type { TextEdit } from '../text/edit.js';

/** Names of log probabilities, in lower case: of OpenAI, of Gemini's candidates in both spellings, and of llama.cpp. */
const LOGPROBS: ReadonlySet<string> = new Set([
  'logprobs',
  'logprobsresult',
  'logprobs_result',
  'completion_probabilities',
]);
/** Names of lists of log probabilities: of SGLang (`output_token_logprobs`), vLLM (`prompt_logprobs`) and others. */
const LIST_OF_LOGPROBS = /log_?prob/i;
/** Names of lists that may contain tokens: of watsonx (`generated_tokens`), AI21 (`tokens`) and Cohere (`token_likelihoods`). */
const LIST_OF_TOKENS = /(?:tokens?|likelihoods?|_probabilities)$/i;
/** Members of a token in a list under another name, as text-generation-inference returns it. */
const OF_TOKEN = ['logprob', 'logProbability', 'log_probability'];
/** The member of a token in a list of tokens. */
const PROBABILITY = /log_?prob(?:ability)?$|^likelihood$/i;
/**
 * Names of lists of token ids: of vLLM (`token_ids`, `prompt_token_ids`), SGLang (`output_ids`), llama.cpp (`tokens`) and Ollama, whose
 * `context` is the conversation so far. See `token-ids.ts` for those of requests.
 */
const LIST_OF_IDS =
  /^(?:tokens|context|(?:(?:prompt|input|output|completion|generated|response)_?)?token_?ids|(?:prompt|input|output|completion|generated)_?ids)$/iu;
/** Members of tool calls with arguments, in which such names have any meaning. */
const OF_ARGUMENTS = /^(?:(?:tool_?)?(?:arguments|args|input)|parameters)$/i;
/** Matches a possible list or object of log probabilities, or an escape that may encode a name. Texts without a match contain none. */
const MAY_HOLD_LOGPROBS =
  /(?:log_?prob\w*|likelihoods?|_probabilities|tokens?|ids|context)"[ \t\n\r]*:[ \t\n\r]*[[{]|log_?prob(?:ability)?"|\\u/iu;

/** Whether JSON text may contain log probabilities or token ids; otherwise, the slower search for them can be omitted. */
export function mayHoldLogprobs(json: string): boolean {
  return MAY_HOLD_LOGPROBS.test(json);
}

/**
 * Edits that empty all log probabilities of an answer: `null`, or `[]` where it is a list. Log probabilities repeat the text
 * token by token (and as bytes), so an answer in which something is redacted must not keep them. They are recognised by their names; a
 * list under another name is recognised by its tokens with log probabilities. A name that a schema of a request may also contain counts
 * only for a list. Lists of token ids, which repeat the text as well, are emptied with them.
 */
export function logprobEdits(doc: JsonDocument): TextEdit[] {
  return atOnce(emptyingLogprobs(doc));
}

/**
 * `logprobEdits` in steps.
 * @param of in a request that is sent on, token ids stay: they are a part of the prompt, and its texts are not repeated in them
 */
export function* emptyingLogprobs(doc: JsonDocument, of: 'answer' | 'request' = 'answer'): Steps<TextEdit[]> {
  const edits: TextEdit[] = [];
  if (!mayHoldLogprobs(doc.text)) return edits;
  let visited = 0;
  function* visit(node: JsonNode, hasIds: boolean): Steps<void> {
    if (++visited % THINGS_BETWEEN_STOPS === 0) yield;
    for (const item of isArray(node) ? node.items : []) if (isContainer(item)) yield* visit(item, hasIds);
    if (!isObject(node)) return;
    for (const { key, value, start, end } of node.members) {
      const name = key.text;
      if (!isContainer(value)) continue;
      if (
        LOGPROBS.has(name.toLowerCase()) ||
        (yield* isLogprobList(name, value)) ||
        (hasIds && (yield* isIdList(name, value)))
      )
        edits.push({ start, end, replacement: isArray(value) ? '[]' : 'null' });
      else yield* visit(value, hasIds && !OF_ARGUMENTS.test(name));
    }
  }
  yield* visit(doc.root, of === 'answer');
  return edits;
}

function isContainer(node: JsonNode): boolean {
  return isArray(node) || isObject(node);
}

/** Whether a list contains tokens with their log probabilities; a list of answers that each have one is not such a list. */
function* isLogprobList(name: string, node: JsonNode): Steps<boolean> {
  if (!isArray(node)) return false;
  if (LIST_OF_LOGPROBS.test(name)) return true;
  const isOfTokens = LIST_OF_TOKENS.test(name);
  let visited = 0;
  for (const item of node.items) {
    if (isToken(item) || (isOfTokens && (isPair(item) || holdsPair(item)))) return true;
    if (++visited % THINGS_BETWEEN_STOPS === 0) yield;
  }
  return false;
}

/** Whether a list contains only token ids, or one such list for each answer. */
function* isIdList(name: string, node: JsonNode): Steps<boolean> {
  if (!LIST_OF_IDS.test(name) || !isArray(node) || node.items.length === 0) return false;
  let visited = 0;
  for (const list of node.items.every(isArray) ? node.items : [node]) {
    for (const item of list.items) {
      if (!Number.isInteger(numberIn(item))) return false;
      if (++visited % THINGS_BETWEEN_STOPS === 0) yield;
    }
  }
  return true;
}

function isToken(item: JsonNode): boolean {
  const isNamed = stringOf(item, 'token') !== undefined || numberOf(item, 'id') !== undefined;
  return isNamed && OF_TOKEN.some((key) => numberOf(item, key) !== undefined);
}

/** Whether an item of a list of tokens pairs a text with a log probability or a likelihood: an object, or a list of both. */
function isPair(item: JsonNode): boolean {
  if (isArray(item)) return item.items.some(isString) && item.items.some(isFractionBelowZero);
  if (!isObject(item)) return false;
  const { members } = item;
  return (
    members.some(({ value }) => isString(value)) &&
    members.some(({ key, value }) => PROBABILITY.test(key.text) && numberIn(value) <= 0)
  );
}

/** Whether an object contains such a pair as a member, as in AI21's `{generatedToken: {token, logprob}}`. */
function holdsPair(item: JsonNode): boolean {
  return isObject(item) && item.members.some(({ value }) => isPair(value));
}

/** In a list without names, whole numbers can have any meaning. */
function isFractionBelowZero(node: JsonNode): boolean {
  const number = numberIn(node);
  return number < 0 && !Number.isInteger(number);
}

/** The number of a node; `NaN` for any other value. */
function numberIn(node: JsonNode): number {
  if (typeof node === 'number') return node;
  return typeof node === 'object' && node?.kind === 'number' ? Number(node.text) : Number.NaN;
}
