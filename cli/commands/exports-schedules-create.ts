import type { Argv } from 'yargs';
import { z } from 'zod';
import { serverOptions, type ServerFlags } from '../api/index.js';
import type { Command } from '../command.js';
import { filterOptions, filterQuery, type FilterArgs } from '../events/filter-flags.js';
import { EXIT } from '../exit-code.js';
import { destinationOf, destinationOptions, type DestinationArgs } from '../exports/destination-flags.js';
import { ExportClient } from '../exports/export-client.js';
import { dueOf, rhythmOptions, type RhythmArgs } from '../exports/rhythm-flags.js';
import { tableFlags, tableOptions, type TableArgs } from '../exports/table-flags.js';
import { dueWords, SCHEDULE, ScheduleClient } from '../exports/schedule-client.js';
import { write } from '../io.js';

interface SchedulesCreateArgs extends FilterArgs, TableArgs, DestinationArgs, RhythmArgs, ServerFlags {
  readonly name: string;
}

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), schedule: SCHEDULE });

/** `weir exports schedules create`: each file begins where the one before ends. */
export const exportsSchedulesCreate: Command<SchedulesCreateArgs> = {
  output: OUTPUT,

  build: (parser) =>
    destinationOptions(tableOptions(rhythmOptions(filterOptions(serverOptions(parser)), true)))
      .positional('name', { type: 'string', demandOption: true, describe: 'Name of the schedule' })
      .example(
        '$0 exports schedules create audit --every day --format parquet --to s3://audit/weir/ --region eu-central-1',
        'each night at 02:00 UTC, with the credentials of the environment',
      ) as unknown as Argv<SchedulesCreateArgs>,

  async run(args, { io }) {
    const destination = destinationOf(args, io);
    const body = {
      ...{ name: args.name, due: dueOf(args), ...tableFlags(args) },
      filters: Object.fromEntries(filterQuery(args, Date.now())),
      ...(destination === undefined ? {} : { destination }),
    };
    if (args.try && destination !== undefined) await (await ExportClient.of(args, io)).tryBucket(destination);
    const schedule = await (await ScheduleClient.of(args, io)).create(body);
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, schedule };
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : `${schedule.id}\n`);
    return { exit: EXIT.ok, words: `${dueWords(schedule)}, next ${schedule.next_at ?? 'never'}` };
  },
};
