import type { JsonDocument } from '../json/json-document.js';
import { isArray, isObject, type JsonNode } from '../json/json-node.js';
import { THINGS_BETWEEN_STOPS, type Steps } from '../steps/steps.js';
import { itemPath } from './json-path.js';

/**
 * Fields that accept token ids: instead of a text in completions and embeddings, Ollama's `context` (the conversation so far), and those of
 * SGLang, vLLM and llama.cpp.
 */
const TEXT_OR_TOKENS: ReadonlySet<string> = new Set([
  ...['PROMPT', 'INPUT', 'INPUTS', 'CONTEXT', 'CONTENT'],
  ...['INPUT_IDS', 'PROMPT_TOKEN_IDS', 'PROMPT_IDS', 'TOKEN_IDS', 'TOKENS'],
]);
/** Members with a whole request: of a line in a file for a batch, and of the items of a batch. */
const REQUESTS: ReadonlySet<string> = new Set(['BODY', 'REQUEST', 'REQUESTS', 'PARAMS', 'INSTANCES']);
const LONGEST_NAME = 16;

/**
 * The path of a field in which a request, or a request in a file for a batch, contains its text as token ids; undefined if there is none.
 * In steps, because such a file may have hundreds of thousands of lines.
 */
export function* findingTokenIds({ root }: JsonDocument): Steps<string | undefined> {
  return yield* findingIn(root);
}

function* findingIn(node: JsonNode): Steps<string | undefined> {
  if (isObject(node)) {
    for (const { key, value } of node.members) {
      const name = sameName(key.text);
      if (TEXT_OR_TOKENS.has(name) && holdsNumbers(value)) return key.text;
      if (!REQUESTS.has(name)) continue;
      const found = yield* findingIn(value);
      if (found !== undefined) return `${key.text}${found.startsWith('[') ? '' : '.'}${found}`;
    }
    return undefined;
  }
  if (!isArray(node)) return undefined;
  for (const [index, item] of node.items.entries()) {
    if (index % THINGS_BETWEEN_STOPS === THINGS_BETWEEN_STOPS - 1) yield;
    const found = isObject(item) ? yield* findingIn(item) : undefined;
    if (found !== undefined) return `${itemPath('', index)}.${found}`;
  }
  return undefined;
}

/** A name in one spelling: servers in Go ignore the case of names, also of the letters U+017F and U+212A. */
function sameName(name: string): string {
  return name.length > LONGEST_NAME ? '' : name.toLowerCase().toUpperCase();
}

function holdsNumbers(node: JsonNode): boolean {
  return isArray(node) && node.items.some((item) => isNumber(item) || (isArray(item) && item.items.some(isNumber)));
}

function isNumber(node: JsonNode): boolean {
  return typeof node === 'number' || (typeof node === 'object' && node !== null && node.kind === 'number');
}
