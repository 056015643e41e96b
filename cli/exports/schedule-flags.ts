import type { ArgsOf } from '../command.js';
import { usageError } from '../exit-code.js';
import type { Schedule } from './schedule-client.js';

const EVERY = ['day', 'week', 'month'] as const;
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

const DAY = { type: 'number', requiresArg: true } as const;
const HOUR = { type: 'number', requiresArg: true, describe: 'Hour of the day in UTC (0 to 23)' } as const;

/** The flags for the times of a schedule; omitted flags change nothing. */
export const RHYTHM_OPTIONS = {
  every: { choices: EVERY, describe: 'Frequency of the export' },
  hour: HOUR,
  weekday: { choices: WEEKDAYS, describe: 'Weekday, with --every week' },
  day: { ...DAY, describe: 'Day of the month (1 to 28), with --every month' },
} as const;

/** The same flags for a new schedule, with defaults. */
export const NEW_RHYTHM_OPTIONS = {
  every: { ...RHYTHM_OPTIONS.every, demandOption: true },
  hour: { ...HOUR, default: 2 },
  weekday: { choices: WEEKDAYS, describe: 'Weekday, with --every week; default: monday' },
  day: { ...DAY, describe: 'Day of the month (1 to 28), with --every month; default: 1' },
} as const;

type RhythmArgs = ArgsOf<typeof RHYTHM_OPTIONS>;

/**
 * The times of a schedule; undefined if no flag changes them.
 *
 * @param now the current times, used for omitted flags
 * @throws CliError (exit 2) for a flag that does not belong to the frequency, such as `--weekday` with `--every month`
 */
export function dueOf(args: RhythmArgs, now?: Schedule['due']): object | undefined {
  const { weekday, day } = args;
  const every = args.every ?? now?.every;
  if (weekday !== undefined && every !== 'week') throw usageError('--weekday needs --every week');
  if (day !== undefined && every !== 'month') throw usageError('--day needs --every month');
  if ([args.every, args.hour, weekday, day].every((flag) => flag === undefined)) return undefined;
  const hour = args.hour ?? now?.hour;
  if (every === 'week') return { every, hour, weekday: weekday ?? (now?.every === 'week' ? now.weekday : 'monday') };
  return every === 'month' ? { every, hour, day: day ?? (now?.every === 'month' ? now.day : 1) } : { every, hour };
}
