import type { Argv } from 'yargs';
import { z } from 'zod';
import { serverOptions, type ServerFlags } from '../api/index.js';
import type { Command, GlobalArgs } from '../command.js';
import { EVENT, withoutContent } from '../events/event-line.js';
import { eventPlaceOptions, fetchEvent } from '../events/fetch-event.js';
import { EXIT } from '../exit-code.js';
import { write } from '../io.js';

interface EventsShowArgs extends GlobalArgs, ServerFlags {
  readonly timeout?: number | undefined;
  readonly event: string;
  readonly app: string | undefined;
  readonly env: string | undefined;
}

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), event: EVENT });

/** `weir events show`: one event; what people wrote only when it is asked for. */
export const eventsShow: Command<EventsShowArgs> = {
  output: OUTPUT,

  build(parser) {
    return eventPlaceOptions(serverOptions(parser)).positional('event', {
      type: 'string',
      demandOption: true,
      describe: 'Event id, or the event_id that the client sent',
    }) as unknown as Argv<EventsShowArgs>;
  },

  async run(args, { io }) {
    const event = await fetchEvent(args, io);
    const shown = args.showContent ? event : withoutContent(event);
    const text = args.json
      ? JSON.stringify({ schemaVersion: 1, event: shown })
      : JSON.stringify(shown, null, 2).replace(/[\u007f-\u009f]/g, ' ');
    await write(io.stdout, `${text}\n`);
    return { exit: EXIT.ok, words: `event ${event.id}${args.showContent ? '' : '; its content: --show-content'}` };
  },
};
