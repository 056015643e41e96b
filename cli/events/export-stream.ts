import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, isPassing, type ApiClient } from '../api/index.js';
import type { Io } from '../io.js';
import { parseLine, wholeLines } from './json-stream.js';

const ATTEMPTS = 5;
const PAUSE_MS = 500;

/**
 * Yields every event of an export as a line of JSON. After a broken connection it continues after the last complete line, so each event
 * is returned once.
 *
 * @param before id of the last event received earlier; the export continues after it
 */
export async function* exportedLines(
  client: ApiClient,
  query: URLSearchParams,
  io: Io,
  before?: string,
): AsyncGenerator<string> {
  let lastLine: string | undefined;
  for (let failures = 0; ;) {
    const last = lastLine === undefined ? before : idOf(lastLine);
    const all = new URLSearchParams(query);
    all.set('format', 'jsonl');
    if (last !== undefined) all.set('before', last);
    try {
      for await (const line of wholeLines(client.stream(`/v1/events/export?${all.toString()}`))) {
        yield line;
        lastLine = line;
        failures = 0;
      }
      return;
    } catch (error) {
      if (!isPassing(error) || ++failures >= ATTEMPTS) throw error;
      await sleep(PAUSE_MS * 2 ** failures, undefined, { signal: io.signal });
    }
  }
}

function idOf(line: string): string {
  const event = parseLine(line);
  if (typeof event === 'object' && event !== null && 'id' in event && typeof event.id === 'string') return event.id;
  throw new ApiError(0, 'bad_answer', 'the server sent a line that is not an event');
}
