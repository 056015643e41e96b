/**
 * Requests for erasures and their output, shared by commands. The service does the work; an interrupted command can be resumed by the id.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { apiClient, namingWork, readAnswer, whereUnknown, type ApiClient, type ServerFlags } from '../api/index.js';
import { CliError, EXIT } from '../exit-code.js';
import type { Io } from '../io.js';

export const ERASURE = z.object({
  id: z.string(),
  state: z.enum(['running', 'waiting', 'done']),
  dry_run: z.boolean(),
  environment: z.string().nullable(),
  app: z.string().nullable(),
  looked_for: z.array(z.object({ kind: z.string(), path: z.string().nullable(), fingerprint: z.string() })),
  because: z.string().nullable(),
  counts: z.record(z.string(), z.int()),
  open_calls: z.int(),
  remains: z
    .object({
      vacuumed: z.boolean(),
      bucket_files: z.int(),
      audit_entries: z.int(),
      backups_before: z.string(),
    })
    .nullable(),
  // Servers of earlier versions do not send it.
  problem: z.string().nullable().default(null),
  database_position: z.string().nullable(),
  by: z.object({ kind: z.string(), id: z.string().nullable(), name: z.string().nullable() }),
  created_at: z.string(),
  ended_at: z.string().nullable(),
});
export type Erasure = z.infer<typeof ERASURE>;

/** The JSON output for one erasure. */
export const ONE_ERASURE = z.strictObject({ schemaVersion: z.literal(1), erasure: ERASURE });

const ERASURES = z.object({ data: z.array(ERASURE) });
const LOOK_EVERY_MS = 500;
/** The command that shows whether an erasure was started. */
const ERASURE_LIST = 'weir erasures list';

const unknown = whereUnknown('there is no such erasure. See: weir erasures list');

/** The routes for erasures; every response is validated. */
export class ErasureClient {
  private constructor(
    private readonly client: ApiClient,
    private readonly io: Io,
  ) {}

  static async of(flags: ServerFlags, io: Io): Promise<ErasureClient> {
    return new ErasureClient(await apiClient(flags, io), io);
  }

  async list(): Promise<Erasure[]> {
    return readAnswer(ERASURES, await this.client.get('/v1/erasures')).data;
  }

  /** @throws CliError (exit 2) if there is no such erasure */
  async get(id: string): Promise<Erasure> {
    return readAnswer(ERASURE, await this.client.get(`/v1/erasures/${encodeURIComponent(id)}`).catch(unknown));
  }

  async create(order: object): Promise<Erasure> {
    return readAnswer(ERASURE, await this.client.post('/v1/erasures', order, ERASURE_LIST), ERASURE_LIST);
  }

  /**
   * Waits until an erasure is done. Errors name the erasure, which continues on the server, unless there is none.
   *
   * @throws CliError (exit 130) when it is interrupted, (exit 4) when it makes no progress; the errors of the requests
   */
  async done(id: string, seen: (now: Erasure) => void): Promise<Erasure> {
    try {
      return await this.watched(id, seen);
    } catch (error) {
      throw namingWork(error, id, `the work continues on the server: weir erasures show ${id}`);
    }
  }

  private async watched(id: string, seen: (now: Erasure) => void): Promise<Erasure> {
    for (;;) {
      const now = await this.get(id);
      if (now.state === 'done') return now;
      if (now.problem !== null) {
        const next = `The erasure is retried automatically: weir erasures show ${id}`;
        throw new CliError(EXIT.unavailable, `${now.problem}. ${next}`);
      }
      seen(now);
      await sleep(LOOK_EVERY_MS, undefined, { signal: this.io.signal }).catch(() => {
        throw new CliError(EXIT.interrupted, 'interrupted');
      });
    }
  }
}
