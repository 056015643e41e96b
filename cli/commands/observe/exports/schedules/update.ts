import { z } from 'zod';
import { SERVER_OPTIONS } from '../../../../api/index.js';
import { defineCommand, textOption, type CommandArgs } from '../../../../command.js';
import { FILTER_OPTIONS, filterQuery } from '../../../../events/filter-flags.js';
import { EXIT, usageError } from '../../../../exit-code.js';
import { DESTINATION_OPTIONS, destinationOf } from '../../../../exports/destination-flags.js';
import { ExportClient } from '../../../../exports/export-client.js';
import { dueOf, RHYTHM_OPTIONS } from '../../../../exports/schedule-flags.js';
import { SCHEDULE_ARGUMENT } from '../../../../exports/schedule-argument.js';
import { dueWords, SCHEDULE, ScheduleClient } from '../../../../exports/schedule-client.js';
import { write } from '../../../../io.js';

const FORMATS = ['jsonl', 'csv', 'parquet'] as const;

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), schedule: SCHEDULE });

const OPTIONS = {
  ...SERVER_OPTIONS,
  ...FILTER_OPTIONS,
  ...RHYTHM_OPTIONS,
  ...DESTINATION_OPTIONS,
  name: textOption('Name; the new name of the schedule'),
  'all-events': {
    type: 'boolean',
    default: false,
    describe: 'Remove all filters; without this flag, filter flags replace all filters',
  },
  format: { choices: FORMATS, describe: 'Output format' },
  columns: textOption('Columns of CSV and Parquet in this order, separated by commas'),
  'all-columns': { type: 'boolean', default: false, describe: 'Write every column of CSV and Parquet' },
  bom: {
    type: 'boolean',
    describe: 'Add a byte order mark so that Excel reads the CSV as UTF-8; --no-bom leaves it out',
  },
  keep: {
    type: 'boolean',
    default: false,
    describe: 'Keep the files in the service instead of a bucket',
  },
} as const;
const ARGUMENTS = {
  ...SCHEDULE_ARGUMENT,
} as const;

type SchedulesUpdateArgs = CommandArgs<typeof OPTIONS, typeof ARGUMENTS>;

/** `weir exports schedules update`: changes a schedule; omitted flags change nothing. */
export const exportsSchedulesUpdate = defineCommand({
  usage: 'update <schedule>',
  summary: 'Change the time, content or destination of a schedule',
  positionals: ARGUMENTS,
  options: OPTIONS,
  examples: [
    [
      '$0 exports schedules update nightly --hour 5 --format csv',
      'applies from the next file on; other options are unchanged',
    ],
  ],
  output: OUTPUT,

  async run(args, { io }) {
    const destination = destinationOf(args, io);
    if (destination !== undefined && args.keep) throw usageError('--keep and --to cannot be combined');
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
    if (Object.keys(body).length === 0) throw usageError('name at least one change, such as --hour 5');
    if (args.try && destination !== undefined) await (await ExportClient.of(args, io)).tryBucket(destination);
    const schedule = await client.change(now, body);
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, schedule };
    if (args.json) await write(io.stdout, `${JSON.stringify(report)}\n`);
    return { exit: EXIT.ok, words: `${dueWords(schedule)}, next ${schedule.next_at ?? 'never: it is paused'}` };
  },
});

/** @throws CliError (exit 2) */
function tableOf({ format, columns, allColumns, bom }: SchedulesUpdateArgs): object {
  const names = columns?.split(',');
  if (names?.includes('') === true) throw usageError('--columns takes names separated by commas');
  if (names !== undefined && allColumns) throw usageError('--columns and --all-columns cannot be combined');
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
  if (isFiltered && args.allEvents) throw usageError('--all-events cannot be combined with filters');
  return isFiltered || args.allEvents ? { filters } : {};
}
