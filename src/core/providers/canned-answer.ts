import { isObject, memberOf, stringOf, type JsonNode } from '../json/json-node.js';

/** A text in place of a model's answer, and the other fields of the answer. */
export interface CannedText {
  readonly text: string;
  /** Used once: ids in the answer are made of it. */
  readonly id: string;
  /** As the request names it; empty where it names none. */
  readonly model: string;
  readonly createdSeconds: number;
  /** Whether the client waits for a stream. */
  readonly streams: boolean;
  /** The request's body. */
  readonly request: JsonNode;
  /** Of the request's URL, with its question mark; empty where there is none. */
  readonly query: string;
}

/** An answer that no model has written, in its provider's form. */
export interface CannedAnswer {
  readonly contentType: string;
  readonly body: string;
}

const STREAM_TYPE = 'text/event-stream; charset=utf-8';

/** A whole answer in JSON. */
export function cannedJson(answer: object): CannedAnswer {
  return { contentType: 'application/json; charset=utf-8', body: JSON.stringify(answer) };
}

/** A stream of events that have no name. @param mark that follows them, of those who end with one */
export function cannedStream(events: readonly object[], mark?: string): CannedAnswer {
  const all = [...events.map((event) => JSON.stringify(event)), ...(mark === undefined ? [] : [mark])];
  return { contentType: STREAM_TYPE, body: all.map((data) => `data: ${data}\n\n`).join('') };
}

/** A stream of events that are named by their types. */
export function cannedNamedStream(events: readonly { readonly type: string }[]): CannedAnswer {
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  return { contentType: STREAM_TYPE, body };
}

/** Whether a request wants its answer's text in JSON, by the format that stands there: a text for people is none. */
export function wantsJson(request: JsonNode, path: readonly string[]): boolean {
  const format = path.reduce<JsonNode | undefined>((node, key) => node && memberOf(node, key), request);
  return isObject(format) && ['json_schema', 'json_object'].includes(stringOf(format, 'type') ?? '');
}
