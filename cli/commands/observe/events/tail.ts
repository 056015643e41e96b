import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { apiClient, ApiError, SERVER_OPTIONS, type ApiClient } from '../../../api/index.js';
import { defineCommand } from '../../../command.js';
import { EVENT, eventLine, withoutContent } from '../../../events/event-line.js';
import { FILTER_ARGUMENT, FILTER_OPTIONS, filterQuery } from '../../../events/filter-flags.js';
import { parseLine, wholeLines } from '../../../events/json-stream.js';
import { write, type Io } from '../../../io.js';

const OUTPUT = z
  .strictObject({ schemaVersion: z.literal(1), event: EVENT })
  .describe('The output has one such object per line.');
const AGAIN_MS = 2_000;

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
    for (;;) {
      try {
        for await (const data of messages(client, query, last)) {
          const parsed = EVENT.safeParse(parseLine(data));
          if (!parsed.success) throw new ApiError(0, 'bad_answer', 'the server sent a line that is not an event');
          // An event that was stored late has a lower id than the events received before it.
          if (last === undefined || parsed.data.id > last) last = parsed.data.id;
          const shown = args.showContent ? parsed.data : withoutContent(parsed.data);
          await write(
            io.stdout,
            args.json ? `${JSON.stringify({ schemaVersion: 1, event: shown })}\n` : eventLine(shown),
          );
        }
      } catch (error) {
        // The server may be restarting, or a proxy may have closed a long connection: reconnect and continue after the last event.
        const mayGoOn = error instanceof ApiError && (error.status === 0 || error.status >= 500);
        if (!mayGoOn || (last === undefined && error.type === 'unreachable')) throw error;
      }
      await pause(io);
    }
  },
});

async function pause(io: Io): Promise<void> {
  await sleep(AGAIN_MS, undefined, { signal: io.signal });
}

/** Yields the data of server-sent events. */
async function* messages(client: ApiClient, query: URLSearchParams, last: string | undefined): AsyncGenerator<string> {
  const headers = { accept: 'text/event-stream', ...(last === undefined ? {} : { 'last-event-id': last }) };
  for await (const line of wholeLines(client.stream(`/v1/events/tail?${query.toString()}`, headers))) {
    if (line.startsWith('data: ')) yield line.slice('data: '.length);
  }
}
