import type { DecodedCall, JsonValue } from '../model/call.js';
import type { Stage } from '../model/fact.js';
import { parseJson, type JsonDocument } from '../json/json-document.js';

/** A call in the form that the decoders read. */
export interface ReadCall {
  readonly document: JsonDocument;
  readonly dialect: DecodedCall['dialect'];
}

/** A tool call, from its name and arguments. */
export function toolCallOf(name: string, args: JsonValue): ReadCall {
  return {
    document: parseJson(JSON.stringify({ payload: { tool: name, arguments: args } })),
    dialect: 'weir.tool_call',
  };
}

/**
 * What was given, as a call: a request or an answer of a provider as JSON, a list of messages, or plain text, which is
 * the user's message, or the answer at stage post.
 */
export function callOf(text: string, stage: Stage): ReadCall {
  const value = jsonOf(text);
  if (Array.isArray(value) && value.length > 0 && value.every(isMessage)) return request({ messages: value });
  if (isRecord(value)) {
    if (isMessage(value)) return request({ messages: [value] });
    if ('messages' in value)
      return {
        document: parseJson(text),
        dialect: 'anthropic_version' in value || 'system' in value ? 'anthropic.messages' : 'openai.chat',
      };
    if ('choices' in value) return { document: parseJson(text), dialect: 'openai.chat' };
    if ('input' in value || 'output' in value) return { document: parseJson(text), dialect: 'openai.responses' };
    if (value['type'] === 'message' && 'content' in value)
      return { document: parseJson(text), dialect: 'anthropic.messages' };
    return { document: parseJson(text), dialect: 'generic' };
  }
  return textCallOf(text, stage);
}

/** A text as it is, also where it looks like JSON: the user's message, or the answer at stage post. */
export function textCallOf(text: string, stage: Stage): ReadCall {
  if (stage === 'post') {
    return {
      document: parseJson(JSON.stringify({ choices: [{ message: { role: 'assistant', content: text } }] })),
      dialect: 'openai.chat',
    };
  }
  return request({ messages: [{ role: 'user', content: text }] });
}

/** A conversation, as a request of it. */
export function messagesCallOf(messages: readonly unknown[]): ReadCall {
  return request({ messages });
}

function request(body: { readonly messages: readonly unknown[] }): ReadCall {
  return { document: parseJson(JSON.stringify(body)), dialect: 'openai.chat' };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isMessage(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value['role'] === 'string' &&
    ('content' in value || 'tool_calls' in value) &&
    !('type' in value)
  );
}

/** The value of a text that is JSON; a bare word or number is text. */
function jsonOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
