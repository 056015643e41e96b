import { utf8Bytes } from '../coding/utf8.js';
import { isArray, isString, membersNamed, toValue, type JsonNode, type ObjectNode } from '../json/json-node.js';
import { isStop, type Steps } from '../steps/steps.js';

/** The text of a token, and its bytes as numbers or as a string; undefined if it has none. */
export interface TokenBytes {
  readonly text: string;
  readonly bytes: readonly JsonNode[] | string | undefined;
}

/** The name of the member with the bytes of a token, in lower case. */
export const OF_BYTES = 'bytes';

/**
 * The bytes of a token in log probabilities. Several tokens may form one character, so clients join the bytes of the tokens and decode them.
 * Of several members with this name, in any case, the last one counts.
 */
export function bytesOfToken(token: ObjectNode): TokenBytes['bytes'] {
  const value = membersNamed(token, [OF_BYTES]).at(-1)?.value;
  if (isArray(value)) return value.items;
  return isString(value) ? value.text : undefined;
}

/** Joins the bytes of tokens. A token without bytes has those of its text. */
export function* joinedBytes(tokens: readonly TokenBytes[]): Steps<Uint8Array> {
  const parts: (readonly JsonNode[] | Uint8Array)[] = [];
  let length = 0;
  for (const [index, { text, bytes }] of tokens.entries()) {
    const part = bytes === undefined ? utf8Bytes(text) : typeof bytes === 'string' ? utf8Bytes(bytes) : bytes;
    parts.push(part);
    length += part.length;
    if (isStop(index)) yield;
  }
  const joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    for (const value of part) {
      joined[at++] = byteOf(value);
      if (isStop(at)) yield;
    }
  }
  return joined;
}

/** The byte that a list of bytes contains for a value, as `Uint8Array.from` converts it: the last eight bits of a number. */
function byteOf(value: JsonNode): number {
  return typeof value === 'number' ? value & 0xff : Number(toValue(value)) & 0xff;
}
