import type { JsonDocument } from '../json/json-document.js';
import { isArray, isObject, type JsonNode } from '../json/json-node.js';

/** Fields in which completions and embeddings accept token ids instead of a text. */
const TEXT_OR_TOKENS: ReadonlySet<string> = new Set(['prompt', 'input']);

/** The field in which a request contains its text as token ids, in one list or several; undefined if there is none. */
export function tokenIdField({ root }: JsonDocument): string | undefined {
  if (!isObject(root)) return undefined;
  return root.members.find(({ key, value }) => TEXT_OR_TOKENS.has(key.text) && holdsNumbers(value))?.key.text;
}

function holdsNumbers(node: JsonNode): boolean {
  return isArray(node) && node.items.some((item) => isNumber(item) || (isArray(item) && item.items.some(isNumber)));
}

function isNumber(node: JsonNode): boolean {
  return typeof node === 'number' || (typeof node === 'object' && node !== null && node.kind === 'number');
}
