import { parsingJson } from '../json/json-document.js';
import { isObject, stringOf, type JsonNode } from '../json/json-node.js';
import { JsonSyntaxError } from '../json/json-parser.js';
import { OTHER_EVENTS } from '../providers/own/streams.js';
import { familyOf } from '../providers/streams.js';
import { isStop, type Steps } from '../steps/steps.js';
import { holdsDataLine, linesWithin, type SseEvent } from './sse.js';

/** The beginning of a line that may be a JSON object, list or string. */
const JSON_START = /^[ \t]*[[{"]/;
const JSON_IN_LINES = new RegExp(JSON_START, 'm');

type DataLine = SseEvent['lines'][number];

/**
 * Separates the data lines of an event that only clients without the standard's joining can read. The standard joins the lines of an
 * event with line feeds (WHATWG HTML, section 9.2.6), but clients that read line by line parse each line as the data of its own event. If
 * the joined lines are not one JSON value, and some of them are values on their own, each of these becomes an event, and the lines
 * between them become events of text. Returns the event unchanged otherwise. The same applies to data in which lenient clients find further
 * data lines.
 * @throws JsonSyntaxError for data that exceeds the limits of JSON, or that is JSON of which one line is an event of its own
 */
export function* separatingLines(event: SseEvent): Steps<readonly SseEvent[]> {
  const holdsLines = holdsDataLine(event.data);
  if (!holdsLines && (event.lines.length < 2 || !JSON_IN_LINES.test(event.data))) return [event];
  if ((yield* valueOf(event.data)) !== undefined) {
    yield* refusingEventsWithin(event);
    return [event];
  }
  const head = event.name === undefined ? {} : { name: event.name };
  const parts: SseEvent[] = [];
  let hasValue = false;
  let others: { readonly data: string; readonly line: DataLine }[] = [];
  const endOthers = (): void => {
    if (others.length > 0)
      parts.push({ ...head, data: others.map((each) => each.data).join('\n'), lines: others.map(({ line }) => line) });
    others = [];
  };
  for (const [index, { text, line }] of linesOf(event, holdsLines).entries()) {
    if (isStop(index)) yield;
    if (!JSON_START.test(text) || (yield* valueOf(text)) === undefined) {
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

/** The lines of an event's data. @param holdsLines whether its lines are divided where lenient clients find further data lines */
function linesOf({ data, lines }: SseEvent, holdsLines: boolean): { readonly text: string; readonly line: DataLine }[] {
  return data.split('\n').flatMap((text, index) => {
    const line = lines[index];
    if (line === undefined) return [];
    if (!holdsLines || !holdsDataLine(text)) return [{ text, line }];
    return linesWithin(text, line.start).map((part) => ({ text: part.data, line: part.lines[0] ?? line }));
  });
}

/**
 * Refuses JSON in several lines of which one is an event of a documented family: clients that read line by line would read this event, and
 * the others the whole value.
 */
function* refusingEventsWithin(event: SseEvent): Steps<void> {
  const texts = event.data.split('\n').filter((text) => text.trim() !== '');
  if (texts.length < 2) return;
  for (const [index, text] of texts.entries()) {
    if (isStop(index)) yield;
    const root = JSON_START.test(text) ? yield* valueOf(text) : undefined;
    if (!isObject(root) || familyOf(stringOf(root, 'type') ?? event.name ?? '', root) === OTHER_EVENTS) continue;
    throw new JsonSyntaxError('an event in a line of another one', event.data, 0, true);
  }
}

/** The value of a text in JSON; undefined for any other text. */
function* valueOf(text: string): Steps<JsonNode | undefined> {
  try {
    return (yield* parsingJson(text, { nonFinite: true })).root;
  } catch (error) {
    if (error instanceof JsonSyntaxError && !error.overLimit) return undefined;
    throw error;
  }
}
