import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { apiClient, ApiError, isPassing, SERVER_OPTIONS, type ApiClient } from '../../../api/index.js';
import { defineCommand } from '../../../command.js';
import { EVENT, eventLine, withoutContent } from '../../../events/event-line.js';
import { FILTER_ARGUMENT, FILTER_OPTIONS, filterQuery } from '../../../events/filter-flags.js';
import { parseLine, wholeLines } from '../../../events/json-stream.js';
import { write } from '../../../io.js';

const OUTPUT = z
  .strictObject({ schemaVersion: z.literal(1), event: EVENT })
  .describe('The output has one such object per line.');
const AGAIN_MS = 2_000;
const NO_STREAM = 'the answer is not a stream of events: is the URL the address of a Weir server?';

/** `weir events tail`: prints new events as they arrive, until it is interrupted. */
export const eventsTail = defineCommand({
  usage: 'tail [environment]',
  summary: 'Print new events as they arrive',
  positionals: FILTER_ARGUMENT,
  options: {
    ...SERVER_OPTIONS,
    ...FILTER_OPTIONS,
  },
  output: OUTPUT,

  async run(args, { io }) {
    const client = await apiClient(args, io);
    const query = filterQuery(args, Date.now());
    let last: string | undefined;
    let isConnected = false;
    let isTold = false;
    for (;;) {
      let why = 'the server ended the stream';
      try {
        for await (const data of messages(client, query, last)) {
          isConnected = true;
          isTold = false;
          if (data === undefined) continue;
          const event = eventOf(data);
          // An event that was stored late has a lower id than the events received before it.
          if (last === undefined || event.id > last) last = event.id;
          const shown = args.showContent ? event : withoutContent(event);
          await write(
            io.stdout,
            args.json ? `${JSON.stringify({ schemaVersion: 1, event: shown })}\n` : eventLine(shown),
          );
        }
        if (!isConnected) throw new ApiError(0, 'bad_answer', NO_STREAM);
      } catch (error) {
        // The server may be restarting, or a proxy may have closed a long connection: reconnect and continue after the last event.
        if (!isConnected || !isPassing(error) || isUnreadable(error)) throw error;
        why = error.message;
      }
      if (!isTold && !args.quiet) await write(io.stderr, `the connection was lost (${why}); trying again\n`);
      isTold = true;
      await sleep(AGAIN_MS, undefined, { signal: io.signal });
    }
  },
});

/** Whether the answer came but has another format: it would be the same the next time. */
function isUnreadable({ status, type }: ApiError): boolean {
  return status === 0 && type === 'bad_answer';
}

function eventOf(data: string): z.infer<typeof EVENT> {
  const parsed = EVENT.safeParse(parseLine(data));
  if (parsed.success) return parsed.data;
  const words =
    'the server sent a line that is not an event of this version of weir: does the server run another version?';
  throw new ApiError(0, 'bad_answer', words);
}

/** Yields the data of server-sent events, and undefined for a comment, which the server sends first and while there are no events. */
async function* messages(
  client: ApiClient,
  query: URLSearchParams,
  last: string | undefined,
): AsyncGenerator<string | undefined> {
  const headers = { accept: 'text/event-stream', ...(last === undefined ? {} : { 'last-event-id': last }) };
  for await (const line of wholeLines(client.stream(`/v1/events/tail?${query.toString()}`, headers))) {
    if (line.startsWith('data: ')) yield line.slice('data: '.length);
    else if (line.startsWith(':')) yield undefined;
  }
}
