import { z } from 'zod';
import { ENVIRONMENTS, nameUpTo } from '../../core/index.js';
import { EXPORT_FORMATS } from '../../events/index.js';
import {
  BOM,
  BY,
  COLUMNS,
  DESTINATION,
  destinationView,
  EXPORT_LIST,
  FILTERS,
  NEW_DESTINATION,
} from '../api-schemas.js';
import { EXPORT_STATES } from '../export-job.js';
import { LAST_DAY, WEEKDAYS } from './due-times.js';
import type { ExportSchedule } from './schedule.js';

const NAME = nameUpTo(80);
const HOUR = z.int().min(0).max(23).describe('Hour of the day, UTC.');

const DUE = z
  .discriminatedUnion('every', [
    z.strictObject({ every: z.literal('day'), hour: HOUR }),
    z.strictObject({ every: z.literal('week'), weekday: z.enum(WEEKDAYS), hour: HOUR }),
    z.strictObject({ every: z.literal('month'), day: z.int().min(1).max(LAST_DAY), hour: HOUR }),
  ])
  .describe('Time when the schedule is due.');
const SCHEDULE_FILTERS = FILTERS.describe(
  'Filters, with the names and values of the query string of `GET /v1/events`. `from` and `to` are not allowed, because each file begins where the previous one ends.',
);

export const NEW_SCHEDULE = z
  .strictObject({
    name: NAME,
    due: DUE,
    format: z.enum(EXPORT_FORMATS),
    filters: SCHEDULE_FILTERS.optional(),
    columns: COLUMNS.optional(),
    bom: BOM.optional(),
    destination: NEW_DESTINATION.optional().describe('Destination of the files; `download` when absent.'),
  })
  .meta({ id: 'NewExportSchedule' });

export const SCHEDULE_CHANGE = z
  .strictObject({
    name: NAME.optional(),
    paused: z
      .boolean()
      .optional()
      .describe(
        'True pauses the schedule, false resumes it. The first file after a pause contains the events received during the pause.',
      ),
    due: DUE.optional(),
    format: z.enum(EXPORT_FORMATS).optional(),
    filters: SCHEDULE_FILTERS.optional(),
    columns: COLUMNS.nullable().optional().describe('Columns of the file; null for all columns.'),
    bom: BOM.optional(),
    destination: NEW_DESTINATION.optional().describe('The complete new destination, including credentials.'),
  })
  .meta({ id: 'ExportScheduleChange' });

export const SCHEDULE = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    paused: z.boolean(),
    problem: z.string().nullable().describe('Human-readable reason why the service paused the schedule.'),
    due: DUE,
    format: z.enum(EXPORT_FORMATS),
    filters: z.record(z.string(), z.string()),
    columns: z.array(z.string()).nullable(),
    bom: z.boolean(),
    destination: DESTINATION,
    environment: z
      .enum(ENVIRONMENTS)
      .nullable()
      .describe('The only environment whose events are exported; null if events of all environments are.'),
    covered_to: z.string().describe('End of the period covered by the files so far; the next file begins here.'),
    next_at: z
      .string()
      .nullable()
      .describe(
        'Time at which the schedule is next due; the export starts ten minutes later. Null while the schedule is paused.',
      ),
    last_run: z
      .strictObject({
        id: z.uuid().describe('Id of the export.'),
        state: z.enum(EXPORT_STATES),
        due_at: z.string(),
        error: z
          .string()
          .nullable()
          .describe(
            'Human-readable reason for the failure of the run. The next file also contains the events of this run.',
          ),
      })
      .nullable(),
    by: BY.describe(
      'Person or token that last changed the schedule. If that person or token loses access to the account, the schedule is paused.',
    ),
    created_at: z.string(),
  })
  .meta({ id: 'ExportSchedule' });

export const SCHEDULES = z.strictObject({ data: z.array(SCHEDULE) }).meta({ id: 'ExportSchedules' });
export const RUNS = EXPORT_LIST;

export function scheduleView(schedule: ExportSchedule): z.infer<typeof SCHEDULE> {
  const { id, name, isPaused, problem, due, order, environment, coveredTo, nextAt, lastRun, by, createdAt } = schedule;
  return {
    ...{ id, name, paused: isPaused, problem, due, format: order.format, filters: { ...order.filters } },
    columns: order.columns === undefined ? null : [...order.columns],
    bom: order.bom,
    destination: destinationView(order.destination),
    environment: environment ?? null,
    covered_to: coveredTo.toISOString(),
    next_at: isPaused ? null : nextAt.toISOString(),
    last_run:
      lastRun === null
        ? null
        : { id: lastRun.id, state: lastRun.state, due_at: lastRun.dueAt.toISOString(), error: lastRun.error },
    by,
    created_at: createdAt.toISOString(),
  };
}
