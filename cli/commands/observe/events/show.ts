import { z } from 'zod';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand } from '../../../command.js';
import { EVENT, withoutContent } from '../../../events/event-line.js';
import { EVENT_PLACE_OPTIONS, fetchEvent } from '../../../events/fetch-event.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), event: EVENT });

/** `weir events show`: shows one event; user-written texts only on request. */
export const eventsShow = defineCommand({
  usage: 'show <event>',
  summary: 'Show one event',
  positionals: {
    event: {
      type: 'string',
      demandOption: true,
      describe: 'Event id, or the event_id that the client sent',
    },
  },
  options: {
    ...SERVER_OPTIONS,
    ...EVENT_PLACE_OPTIONS,
  },
  output: OUTPUT,

  async run(args, { io }) {
    const event = await fetchEvent(args, io);
    const shown = args.showContent ? event : withoutContent(event);
    const text = args.json
      ? JSON.stringify({ schemaVersion: 1, event: shown })
      : JSON.stringify(shown, null, 2).replace(/[\u007f-\u009f]/g, ' ');
    await write(io.stdout, `${text}\n`);
    return { exit: EXIT.ok, words: `event ${event.id}${args.showContent ? '' : '; its content: --show-content'}` };
  },
});
