import { isObject, memberOf, stringOf, type JsonNode } from '../json/json-node.js';

/** A text in place of a model's answer, and the other fields of the answer. */
export interface CannedText {
  readonly text: string;
  /** Unique; the ids in the answer are derived from it. */
  readonly id: string;
  /** The model named by the request; empty if it names none. */
  readonly model: string;
  readonly createdSeconds: number;
  /** Whether the client waits for a stream. */
  readonly streams: boolean;
  /** The request's body. */
  readonly request: JsonNode;
  /** Query of the request's URL with its question mark; empty if there is none. */
  readonly query: string;
}

/** An answer not produced by a model, in the format of its provider. */
export interface CannedAnswer {
  readonly contentType: string;
  readonly body: string;
}

const STREAM_TYPE = 'text/event-stream; charset=utf-8';

/** A complete answer in JSON. */
export function cannedJson(answer: object): CannedAnswer {
  return { contentType: 'application/json; charset=utf-8', body: JSON.stringify(answer) };
}

/** A stream of events without names. @param mark end mark after the events, if the format has one */
export function cannedStream(events: readonly object[], mark?: string): CannedAnswer {
  const all = [...events.map((event) => JSON.stringify(event)), ...(mark === undefined ? [] : [mark])];
  return { contentType: STREAM_TYPE, body: all.map((data) => `data: ${data}\n\n`).join('') };
}

/** A stream of events whose names are their types. */
export function cannedNamedStream(events: readonly { readonly type: string }[]): CannedAnswer {
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  return { contentType: STREAM_TYPE, body };
}

/** Whether a request asks for an answer text in JSON, by its format at this path. A canned text is not JSON. */
export function wantsJson(request: JsonNode, path: readonly string[]): boolean {
  const format = path.reduce<JsonNode | undefined>((node, key) => node && memberOf(node, key), request);
  return isObject(format) && ['json_schema', 'json_object'].includes(stringOf(format, 'type') ?? '');
}
