import type { Argv } from 'yargs';
import { z } from 'zod';
import { serverOptions, type ServerFlags } from '../api/index.js';
import type { Command, GlobalArgs } from '../command.js';
import { EXIT } from '../exit-code.js';
import { SCHEDULE, ScheduleClient } from '../exports/schedule-client.js';
import { write } from '../io.js';

interface SchedulesPauseArgs extends GlobalArgs, ServerFlags {
  readonly schedule: string;
}

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), schedule: SCHEDULE });

/** `weir exports schedules pause`: no file is begun until it is resumed. */
export const exportsSchedulesPause: Command<SchedulesPauseArgs> = {
  output: OUTPUT,

  build: (parser) =>
    serverOptions(parser).positional('schedule', {
      type: 'string',
      demandOption: true,
      describe: 'Its id or name',
    }) as unknown as Argv<SchedulesPauseArgs>,

  async run(args, { io }) {
    const client = await ScheduleClient.of(args, io);
    const schedule = await client.pause(await client.named(args.schedule), true);
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, schedule };
    if (args.json) await write(io.stdout, `${JSON.stringify(report)}\n`);
    return { exit: EXIT.ok, words: `schedule ${schedule.id} is paused` };
  },
};
