import type { DecodedCall, JsonValue } from '../../core/model/call.js';
import type { Stage } from '../../core/model/fact.js';
import { parseJson, type JsonDocument } from '../../core/json/json-document.js';
import { dialectFacts, dialectOfBody, requestOfTurns } from '../../core/providers/dialects.js';
import { assembleList } from '../../core/stream/assemble-stream.js';

/** A call in the form that the decoders read. */
export interface ReadCall {
  readonly document: JsonDocument;
  readonly dialect: DecodedCall['dialect'];
  /** The decoded call, if it was not decoded from `document` alone: the entries of a stream in one list. */
  readonly call?: DecodedCall;
}

/** Creates a tool call from its name and arguments. */
export function toolCallOf(name: string, args: JsonValue): ReadCall {
  return {
    document: parseJson(JSON.stringify({ payload: { tool: name, arguments: args } })),
    dialect: 'weir.tool_call',
  };
}

/**
 * Converts input to a call: a provider's request or answer as JSON, a list of turns, or plain text, which becomes the user's message,
 * or at stage post the answer.
 */
export function callOf(text: string, stage: Stage): ReadCall {
  const value = jsonOf(text);
  const listed = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  if (!listed.every(isRecord)) return textCallOf(text, stage);
  const turns = requestOfTurns(listed);
  if (turns !== undefined) return { document: parseJson(JSON.stringify(turns.body)), dialect: turns.dialect };
  if (isRecord(value)) return { document: parseJson(text), dialect: dialectOfBody(value) };
  const dialect = listed[0] === undefined ? 'generic' : dialectOfBody(listed[0]);
  if (dialectFacts(dialect).isListEntry === undefined) return textCallOf(text, stage);
  return { document: parseJson(text), dialect, call: assembleList(dialect, text).call };
}

/** Creates a call from plain text, even if it looks like JSON: the user's message, or at stage post the answer. */
export function textCallOf(text: string, stage: Stage): ReadCall {
  if (stage === 'post') {
    return {
      document: parseJson(JSON.stringify({ choices: [{ message: { role: 'assistant', content: text } }] })),
      dialect: 'openai.chat',
    };
  }
  return request({ messages: [{ role: 'user', content: text }] });
}

/** Creates a request from the messages of a conversation. */
export function messagesCallOf(messages: readonly unknown[]): ReadCall {
  return request({ messages });
}

function request(body: { readonly messages: readonly unknown[] }): ReadCall {
  return { document: parseJson(JSON.stringify(body)), dialect: 'openai.chat' };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses a text that is a JSON object or list; undefined for any other text. */
function jsonOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
