import { parsingJson } from '../json/json-document.js';
import { JsonSyntaxError } from '../json/json-parser.js';
import { isStop, type Steps } from '../steps/steps.js';
import type { SseEvent } from './sse.js';

/** The beginning of a line that may be a JSON object, list or string. */
const JSON_START = /^[ \t]*[[{"]/;
const JSON_IN_LINES = new RegExp(JSON_START, 'm');

/**
 * Separates the data lines of an event that only clients without the standard's joining can read. The standard joins the lines of an
 * event with line feeds (WHATWG HTML, section 9.2.6), but clients that read line by line parse each line as the data of its own event. If
 * the joined lines are not one JSON value, and some of them are values on their own, each of these becomes an event, and the lines
 * between them become events of text. Returns the event unchanged otherwise.
 * @throws JsonSyntaxError for data that exceeds the limits of JSON
 */
export function* separatingLines(event: SseEvent): Steps<readonly SseEvent[]> {
  if (event.lines.length < 2 || !JSON_IN_LINES.test(event.data) || (yield* isJson(event.data))) return [event];
  const { data, lines, ...head } = event;
  const parts: SseEvent[] = [];
  let hasValue = false;
  let others: { readonly data: string; readonly line: SseEvent['lines'][number] }[] = [];
  const endOthers = (): void => {
    if (others.length > 0)
      parts.push({ ...head, data: others.map((each) => each.data).join('\n'), lines: others.map(({ line }) => line) });
    others = [];
  };
  for (const [index, text] of data.split('\n').entries()) {
    if (isStop(index)) yield;
    const line = lines[index];
    if (line === undefined) continue;
    if (!JSON_START.test(text) || !(yield* isJson(text))) {
      others.push({ data: text, line });
      continue;
    }
    hasValue = true;
    endOthers();
    parts.push({ ...head, data: text, lines: [line] });
  }
  endOthers();
  return hasValue ? parts : [event];
}

function* isJson(text: string): Steps<boolean> {
  try {
    yield* parsingJson(text, { nonFinite: true });
    return true;
  } catch (error) {
    if (error instanceof JsonSyntaxError && !error.overLimit) return false;
    throw error;
  }
}
