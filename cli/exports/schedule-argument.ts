import type { Argv } from 'yargs';
import { z } from 'zod';
import { serverOptions, type ServerFlags } from '../api/index.js';
import type { Command, GlobalArgs } from '../command.js';
import { EXIT } from '../exit-code.js';
import { write } from '../io.js';
import { SCHEDULE, ScheduleClient } from './schedule-client.js';

/** Flags of a command about one schedule. */
export interface ScheduleArgs extends GlobalArgs, ServerFlags {
  /** Its id or name. */
  readonly schedule: string;
}

/** How a command is told which schedule it is about. */
export function oneSchedule(parser: Argv<GlobalArgs>): Argv<ScheduleArgs> {
  return serverOptions(parser).positional('schedule', {
    type: 'string',
    demandOption: true,
    describe: 'Schedule id or name',
  }) as unknown as Argv<ScheduleArgs>;
}

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), schedule: SCHEDULE });

/** The command that pauses schedules, or the one that has them go on. */
export function pausing(paused: boolean): Command<ScheduleArgs> {
  return {
    output: OUTPUT,
    build: oneSchedule,
    async run(args, { io }) {
      const client = await ScheduleClient.of(args, io);
      const schedule = await client.pause(await client.named(args.schedule), paused);
      const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, schedule };
      if (args.json) await write(io.stdout, `${JSON.stringify(report)}\n`);
      return { exit: EXIT.ok, words: `schedule ${schedule.id} ${paused ? 'is paused' : 'goes on'}` };
    },
  };
}
