import type { Argv } from 'yargs';
import { z } from 'zod';
import type { Command } from '../command.js';
import { filterOptions, filterQuery, type FilterArgs } from '../events/filter-flags.js';
import { EXIT, usageError } from '../exit-code.js';
import { destinationOf, destinationOptions, type DestinationArgs } from '../exports/destination-flags.js';
import { ExportClient } from '../exports/export-client.js';
import { dueOf, rhythmOptions, type RhythmArgs } from '../exports/rhythm-flags.js';
import { oneSchedule, type ScheduleArgs } from '../exports/schedule-argument.js';
import { dueWords, SCHEDULE, ScheduleClient } from '../exports/schedule-client.js';
import { write } from '../io.js';

const FORMATS = ['jsonl', 'csv', 'parquet'] as const;

interface SchedulesUpdateArgs extends ScheduleArgs, FilterArgs, RhythmArgs, DestinationArgs {
  readonly name: string | undefined;
  readonly allEvents: boolean;
  readonly format: (typeof FORMATS)[number] | undefined;
  readonly columns: string | undefined;
  readonly allColumns: boolean;
  readonly bom: boolean | undefined;
  readonly keep: boolean;
}

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), schedule: SCHEDULE });

/** `weir exports schedules update`: what no flag names stays as it is. */
export const exportsSchedulesUpdate: Command<SchedulesUpdateArgs> = {
  output: OUTPUT,

  build: (parser) =>
    destinationOptions(rhythmOptions(filterOptions(oneSchedule(parser)), false))
      .option('name', { type: 'string', requiresArg: true, describe: 'New name of the schedule' })
      .option('all-events', {
        type: 'boolean',
        default: false,
        describe: 'Remove all filters; a filter flag replaces all of them',
      })
      .option('format', { choices: FORMATS, describe: 'File format' })
      .option('columns', {
        type: 'string',
        requiresArg: true,
        describe: 'Columns of CSV and Parquet in this order, separated by commas',
      })
      .option('all-columns', { type: 'boolean', default: false, describe: 'Write every column of CSV and Parquet' })
      .option('bom', { type: 'boolean', describe: 'Add a byte order mark to CSV for Excel; --no-bom leaves it out' })
      .option('keep', {
        type: 'boolean',
        default: false,
        describe: 'Keep the files in the service instead of a bucket',
      })
      .example(
        '$0 exports schedules update nightly --hour 5 --format csv',
        'each file from the next one on; the rest stays as it is',
      ) as unknown as Argv<SchedulesUpdateArgs>,

  async run(args, { io }) {
    const destination = destinationOf(args, io);
    if (destination !== undefined && args.keep) throw usageError('--keep and --to are two places');
    const fields = { ...tableOf(args), ...filtersOf(args) };
    const client = await ScheduleClient.of(args, io);
    const now = await client.named(args.schedule);
    const due = dueOf(args, now.due);
    const body = {
      ...(args.name === undefined ? {} : { name: args.name }),
      ...(due === undefined ? {} : { due }),
      ...fields,
      ...(args.keep ? { destination: { kind: 'download' } } : destination === undefined ? {} : { destination }),
    };
    if (Object.keys(body).length === 0) throw usageError('name what is to be changed, such as --hour 5');
    if (args.try && destination !== undefined) await (await ExportClient.of(args, io)).tryBucket(destination);
    const schedule = await client.change(now, body);
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, schedule };
    if (args.json) await write(io.stdout, `${JSON.stringify(report)}\n`);
    return { exit: EXIT.ok, words: `${dueWords(schedule)}, next ${schedule.next_at ?? 'never: it is paused'}` };
  },
};

/** @throws CliError (exit 2) */
function tableOf({ format, columns, allColumns, bom }: SchedulesUpdateArgs): object {
  const names = columns?.split(',');
  if (names?.includes('') === true) throw usageError('--columns takes names with commas between them');
  if (names !== undefined && allColumns) throw usageError('--columns and --all-columns are two things');
  return {
    ...(format === undefined ? {} : { format }),
    ...(names === undefined ? {} : { columns: names }),
    ...(allColumns ? { columns: null } : {}),
    ...(bom === undefined ? {} : { bom }),
  };
}

/** @throws CliError (exit 2) */
function filtersOf(args: SchedulesUpdateArgs): object {
  const filters = Object.fromEntries(filterQuery(args, Date.now()));
  const isFiltered = Object.keys(filters).length > 0;
  if (isFiltered && args.allEvents) throw usageError('--all-events has no filters beside it');
  return isFiltered || args.allEvents ? { filters } : {};
}
