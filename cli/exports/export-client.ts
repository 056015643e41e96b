import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { apiClient, namingWork, readAnswer, whereUnknown, type ApiClient, type ServerFlags } from '../api/index.js';
import { CliError, EXIT } from '../exit-code.js';
import type { Io } from '../io.js';

export const EXPORT = z.object({
  id: z.string(),
  state: z.enum(['queued', 'running', 'paused', 'done', 'failed', 'cancelled']),
  format: z.enum(['jsonl', 'csv', 'parquet']),
  rows: z.int(),
  rows_expected: z.int().nullable(),
  bytes: z.int(),
  sha256: z.string().nullable(),
  error: z.string().nullable(),
  created_at: z.string(),
  expires_at: z.string().nullable(),
  has_file: z.boolean(),
  /** Absent in answers of older servers. */
  resumable: z.boolean().default(false),
});
export type Export = z.infer<typeof EXPORT>;

const EXPORTS = z.object({ data: z.array(EXPORT) });
const TRIAL = z.object({ ok: z.boolean(), problem: z.string().nullable() });
const LOOK_EVERY_MS = 500;
/** The command that shows whether an export was started. */
const EXPORT_LIST = 'weir exports list';

const unknown = whereUnknown('there is no such export, or it was deleted. See: weir exports list');

/** The routes for background exports; every response is validated. */
export class ExportClient {
  private constructor(
    private readonly client: ApiClient,
    private readonly io: Io,
  ) {}

  static async of(flags: ServerFlags, io: Io): Promise<ExportClient> {
    return new ExportClient(await apiClient(flags, io), io);
  }

  async list(): Promise<Export[]> {
    return readAnswer(EXPORTS, await this.client.get('/v1/exports')).data;
  }

  /** @throws CliError (exit 2) if there is no such export */
  async get(id: string): Promise<Export> {
    return readAnswer(EXPORT, await this.client.get(path(id)).catch(unknown));
  }

  async create(body: object): Promise<Export> {
    return readAnswer(EXPORT, await this.client.post('/v1/exports', body, EXPORT_LIST), EXPORT_LIST);
  }

  /** Tests a bucket by writing and deleting an object. @throws CliError (exit 4) with the reason for a failure */
  async tryBucket(bucket: object): Promise<void> {
    const { ok, problem } = readAnswer(TRIAL, await this.client.post('/v1/exports/buckets/test', bucket));
    if (!ok)
      throw new CliError(
        EXIT.unavailable,
        `writing to the bucket failed, so no export was started: ${problem ?? 'unknown'}`,
      );
  }

  /** @throws CliError (exit 2) if there is no such export; ApiError if it cannot be paused or resumed */
  async pause(id: string, paused: boolean): Promise<Export> {
    return readAnswer(EXPORT, await this.client.patch(path(id), { paused }).catch(unknown));
  }

  async remove(id: string): Promise<void> {
    await this.client.delete(path(id)).catch(unknown);
  }

  /**
   * Waits until an export is done. Errors name the export, unless there is none.
   *
   * @throws CliError (exit 4) if it failed, was cancelled, or is paused: a pause may last forever; (exit 130) when it is interrupted; the
   * errors of the requests
   */
  async ended(id: string, seen: (now: Export) => void): Promise<Export> {
    try {
      return await this.watched(id, seen);
    } catch (error) {
      throw namingWork(error, id, `the export remains on the server: weir exports fetch ${id}`);
    }
  }

  private async watched(id: string, seen: (now: Export) => void): Promise<Export> {
    for (;;) {
      const now = await this.get(id);
      seen(now);
      if (now.state === 'done') return now;
      if (now.state === 'failed' || now.state === 'cancelled') {
        const next = now.resumable ? `; to continue it after ${now.rows} events: weir exports resume ${id}` : '';
        throw new CliError(
          EXIT.unavailable,
          `export ${id} ${now.state}${now.error === null ? '' : `: ${now.error}`}${next}`,
        );
      }
      if (now.state === 'paused') {
        throw new CliError(
          EXIT.unavailable,
          `export ${id} is paused after ${now.rows} events; to continue it: weir exports resume ${id}`,
        );
      }
      await sleep(LOOK_EVERY_MS, undefined, { signal: this.io.signal }).catch(() => {
        throw new CliError(EXIT.interrupted, `interrupted; the work continues on the server: weir exports fetch ${id}`);
      });
    }
  }

  /** Streams the file from a byte offset. */
  async *file(id: string, from: number): AsyncGenerator<Uint8Array> {
    yield* this.client.stream(`${path(id)}/file`, from === 0 ? {} : { range: `bytes=${from}-` });
  }
}

function path(id: string): string {
  return `/v1/exports/${encodeURIComponent(id)}`;
}
