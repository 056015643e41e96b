import type { Argv } from 'yargs';
import { z } from 'zod';
import { serverOptions, type ServerFlags } from '../api/index.js';
import type { Command } from '../command.js';
import { filterOptions, filterQuery, type FilterArgs } from '../events/filter-flags.js';
import { EXIT, usageError } from '../exit-code.js';
import { destinationOf, destinationOptions, type DestinationArgs } from '../exports/destination-flags.js';
import { ExportClient } from '../exports/export-client.js';
import { tableFlags, tableOptions, type TableArgs } from '../exports/table-flags.js';
import { dueWords, SCHEDULE, ScheduleClient } from '../exports/schedule-client.js';
import { write } from '../io.js';

const EVERY = ['day', 'week', 'month'] as const;
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

interface SchedulesCreateArgs extends FilterArgs, TableArgs, DestinationArgs, ServerFlags {
  readonly name: string;
  readonly every: (typeof EVERY)[number];
  readonly hour: number;
  readonly weekday: (typeof WEEKDAYS)[number] | undefined;
  readonly day: number | undefined;
}

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), schedule: SCHEDULE });

/** `weir exports schedules create`: each file begins where the one before ends. */
export const exportsSchedulesCreate: Command<SchedulesCreateArgs> = {
  output: OUTPUT,

  build: (parser) =>
    destinationOptions(tableOptions(filterOptions(serverOptions(parser))))
      .positional('name', { type: 'string', demandOption: true, describe: 'Of the schedule' })
      .option('every', { choices: EVERY, demandOption: true, describe: 'How often a file is written' })
      .option('hour', { type: 'number', requiresArg: true, default: 2, describe: 'Of the day, UTC: 0 to 23' })
      .option('weekday', { choices: WEEKDAYS, describe: 'With --every week; default: monday' })
      .option('day', {
        type: 'number',
        requiresArg: true,
        describe: 'Of the month, 1 to 28, with --every month; default: 1',
      })
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

/** @throws CliError (exit 2) for a flag of another rhythm */
function dueOf({ every, hour, weekday, day }: SchedulesCreateArgs): object {
  if (weekday !== undefined && every !== 'week') throw usageError('--weekday goes with --every week');
  if (day !== undefined && every !== 'month') throw usageError('--day goes with --every month');
  if (every === 'day') return { every, hour };
  return every === 'week' ? { every, hour, weekday: weekday ?? 'monday' } : { every, hour, day: day ?? 1 };
}
