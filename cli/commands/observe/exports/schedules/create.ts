/** The commands `weir exports schedules …`. Their shared code is in cli/exports. */
import { z } from 'zod';
import { SERVER_OPTIONS } from '../../../../api/index.js';
import { defineCommand } from '../../../../command.js';
import { FILTER_OPTIONS, filterQuery } from '../../../../events/filter-flags.js';
import { EXIT } from '../../../../exit-code.js';
import { DESTINATION_OPTIONS, destinationOf } from '../../../../exports/destination-flags.js';
import { ExportClient } from '../../../../exports/export-client.js';
import { dueOf, NEW_RHYTHM_OPTIONS } from '../../../../exports/schedule-flags.js';
import { dueWords, SCHEDULE, ScheduleClient } from '../../../../exports/schedule-client.js';
import { TABLE_OPTIONS, tableFlags } from '../../../../exports/table-flags.js';
import { write } from '../../../../io.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), schedule: SCHEDULE });

/** `weir exports schedules create`: creates a schedule; each file begins where the previous one ended. */
export const exportsSchedulesCreate = defineCommand({
  usage: 'create <name>',
  summary: 'Create a daily, weekly or monthly export',
  positionals: {
    name: { type: 'string', demandOption: true, describe: 'Name of the schedule' },
  },
  options: {
    ...SERVER_OPTIONS,
    ...FILTER_OPTIONS,
    ...NEW_RHYTHM_OPTIONS,
    ...TABLE_OPTIONS,
    ...DESTINATION_OPTIONS,
  },
  examples: [
    [
      '$0 exports schedules create audit --every day --format parquet --to s3://audit/weir/ --region eu-central-1',
      'each night at 02:00 UTC, with the bucket credentials in the environment variables',
    ],
  ],
  output: OUTPUT,

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
});
