import { z } from 'zod';
import type { SERVER_OPTIONS } from '../api/index.js';
import type { CommandArgs } from '../command.js';
import { EXIT, type Outcome } from '../exit-code.js';
import { write, type Io } from '../io.js';
import { SCHEDULE, ScheduleClient } from './schedule-client.js';

/** The argument that names the schedule of a command. */
export const SCHEDULE_ARGUMENT = {
  schedule: { type: 'string', demandOption: true, describe: 'Schedule id or name' },
} as const;

export type ScheduleArgs = CommandArgs<typeof SERVER_OPTIONS, typeof SCHEDULE_ARGUMENT>;

/** The JSON output for one schedule. */
export const ONE_SCHEDULE = z.strictObject({ schemaVersion: z.literal(1), schedule: SCHEDULE });

/** Pauses or resumes a schedule. */
export async function pause(args: ScheduleArgs, paused: boolean, io: Io): Promise<Outcome> {
  const client = await ScheduleClient.of(args, io);
  const schedule = await client.pause(await client.named(args.schedule), paused);
  const report: z.infer<typeof ONE_SCHEDULE> = { schemaVersion: 1, schedule };
  if (args.json)
    await write(
      io.stdout,
      `${JSON.stringify(report)}
`,
    );
  return { exit: EXIT.ok, words: `schedule ${schedule.id} ${paused ? 'is paused' : 'is resumed'}` };
}
