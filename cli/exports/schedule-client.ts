import { z } from 'zod';
import { apiClient, readAnswer, whereUnknown, type ApiClient, type ServerFlags } from '../api/index.js';
import { usageError } from '../exit-code.js';
import type { Io } from '../io.js';
import { EXPORT } from './export-client.js';

const HOUR = z.int();

export const SCHEDULE = z.object({
  id: z.string(),
  name: z.string(),
  paused: z.boolean(),
  problem: z.string().nullable(),
  due: z.discriminatedUnion('every', [
    z.object({ every: z.literal('day'), hour: HOUR }),
    z.object({ every: z.literal('week'), weekday: z.string(), hour: HOUR }),
    z.object({ every: z.literal('month'), day: z.int(), hour: HOUR }),
  ]),
  format: z.enum(['jsonl', 'csv', 'parquet']),
  filters: z.record(z.string(), z.string()),
  destination: z.object({
    kind: z.string(),
    bucket: z.string().optional(),
    prefix: z.string().optional(),
    access_key_ends: z.string().optional(),
  }),
  covered_to: z.string(),
  next_at: z.string().nullable(),
  last_run: z
    .object({ id: z.string(), state: z.string(), due_at: z.string(), error: z.string().nullable() })
    .nullable(),
});
export type Schedule = z.infer<typeof SCHEDULE>;

export const RUN = EXPORT.extend({
  filters: z.record(z.string(), z.string()),
  schedule: z.object({ id: z.string(), due_at: z.string(), late_rows: z.int().nullable() }).nullable(),
});
export type Run = z.infer<typeof RUN>;

const SCHEDULES = z.object({ data: z.array(SCHEDULE) });
const RUNS = z.object({ data: z.array(RUN) });
/** The command that shows whether a schedule was created. */
const SCHEDULE_LIST = 'weir exports schedules list';

const unknown = whereUnknown('there is no such schedule, or it was deleted. See: weir exports schedules list');

/** The routes for export schedules; every response is validated. */
export class ScheduleClient {
  private constructor(private readonly client: ApiClient) {}

  static async of(flags: ServerFlags, io: Io): Promise<ScheduleClient> {
    return new ScheduleClient(await apiClient(flags, io));
  }

  async list(): Promise<Schedule[]> {
    return readAnswer(SCHEDULES, await this.client.get('/v1/export-schedules')).data;
  }

  /** Finds a schedule by id or name. @throws CliError (exit 2) */
  async named(named: string): Promise<Schedule> {
    const [only, ...others] = (await this.list()).filter(({ id, name }) => id === named || name === named);
    if (only === undefined) throw usageError('there is no such schedule. See: weir exports schedules list');
    if (others.length > 0) throw usageError('several schedules have this name: use the id of one');
    return only;
  }

  async create(body: object): Promise<Schedule> {
    return readAnswer(SCHEDULE, await this.client.post('/v1/export-schedules', body, SCHEDULE_LIST), SCHEDULE_LIST);
  }

  async pause(schedule: Schedule, paused: boolean): Promise<Schedule> {
    return this.change(schedule, { paused });
  }

  /** Changes a schedule; omitted fields keep their values. */
  async change({ id }: Schedule, change: object): Promise<Schedule> {
    return readAnswer(SCHEDULE, await this.client.patch(path(id), change).catch(unknown));
  }

  async delete({ id }: Schedule): Promise<void> {
    await this.client.delete(path(id)).catch(unknown);
  }

  async runs({ id }: Schedule): Promise<Run[]> {
    return readAnswer(RUNS, await this.client.get(`${path(id)}/runs`).catch(unknown)).data;
  }
}

function path(id: string): string {
  return `/v1/export-schedules/${encodeURIComponent(id)}`;
}

/** The times of a schedule as text, such as `each week on monday at 06:00 UTC`. */
export function dueWords({ due }: Schedule): string {
  const at = `at ${String(due.hour).padStart(2, '0')}:00 UTC`;
  if (due.every === 'day') return `each day ${at}`;
  return due.every === 'week' ? `each week on ${due.weekday} ${at}` : `each month on day ${due.day} ${at}`;
}

/** The destination of the files as text. */
export function placeWords({ destination: { bucket, prefix } }: Schedule): string {
  return bucket === undefined ? 'here' : `s3://${bucket}/${prefix ?? ''}`;
}
