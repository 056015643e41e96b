import type { Argv } from 'yargs';
import type { GlobalArgs } from '../command.js';
import { usageError } from '../exit-code.js';
import type { Schedule } from './schedule-client.js';

const EVERY = ['day', 'week', 'month'] as const;
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** When a schedule is due. */
export interface RhythmArgs extends GlobalArgs {
  readonly every: (typeof EVERY)[number] | undefined;
  readonly hour: number | undefined;
  readonly weekday: (typeof WEEKDAYS)[number] | undefined;
  readonly day: number | undefined;
}

/** @param isNew what is left out has a default; else it stays as it is */
export function rhythmOptions<Args extends GlobalArgs>(parser: Argv<Args>, isNew: boolean): Argv<Args & RhythmArgs> {
  const or = (text: string): string => (isNew ? `; default: ${text}` : '');
  return parser
    .option('every', { choices: EVERY, demandOption: isNew, describe: 'Frequency of the export' })
    .option('hour', {
      ...{ type: 'number', requiresArg: true, describe: 'Hour of the day in UTC (0 to 23)' },
      ...(isNew ? { default: 2 } : {}),
    })
    .option('weekday', { choices: WEEKDAYS, describe: `With --every week${or('monday')}` })
    .option('day', {
      type: 'number',
      requiresArg: true,
      describe: `Of the month, 1 to 28, with --every month${or('1')}`,
    }) as unknown as Argv<Args & RhythmArgs>;
}

/**
 * When it is due; undefined where no flag says anything about it.
 *
 * @param now when it is due so far, for what no flag says
 * @throws CliError (exit 2) for a flag of another rhythm
 */
export function dueOf(args: RhythmArgs, now?: Schedule['due']): object | undefined {
  const { weekday, day } = args;
  const every = args.every ?? now?.every;
  if (weekday !== undefined && every !== 'week') throw usageError('--weekday goes with --every week');
  if (day !== undefined && every !== 'month') throw usageError('--day goes with --every month');
  if ([args.every, args.hour, weekday, day].every((flag) => flag === undefined)) return undefined;
  const hour = args.hour ?? now?.hour;
  if (every === 'week') return { every, hour, weekday: weekday ?? (now?.every === 'week' ? now.weekday : 'monday') };
  return every === 'month' ? { every, hour, day: day ?? (now?.every === 'month' ? now.day : 1) } : { every, hour };
}
