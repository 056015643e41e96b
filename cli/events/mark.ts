import { z } from 'zod';
import { apiClient, ApiError, type ServerFlags } from '../api/index.js';
import type { Io } from '../io.js';

/** A person's mark on a decision. */
export const MARK = z.strictObject({
  event: z.string(),
  call: z.string(),
  rule: z.string(),
  mark: z.enum(['right', 'wrong', 'missed']),
  note: z.string().nullable(),
  environment: z.enum(['development', 'staging', 'production']),
  app: z.strictObject({ id: z.string(), name: z.string().nullable() }),
  by: z.strictObject({ kind: z.enum(['person', 'token']), id: z.string(), name: z.string().nullable() }),
  at: z.string(),
});
export type Mark = z.infer<typeof MARK>;

const PAGE = z.object({ data: z.array(MARK), next_cursor: z.string().nullable() });

export interface NewMark {
  readonly mark: Mark['mark'];
  readonly note?: string;
}

/** The routes for marks; every response is validated. */
export class Marks {
  private constructor(private readonly client: Awaited<ReturnType<typeof apiClient>>) {}

  static async of(flags: ServerFlags, io: Io): Promise<Marks> {
    return new Marks(await apiClient(flags, io));
  }

  /** @param event the event id of the service, not of the client */
  async set(event: string, rule: string, mark: NewMark): Promise<Mark> {
    return read(MARK, await this.client.put(path(event, rule), mark));
  }

  async remove(event: string, rule: string): Promise<void> {
    await this.client.delete(path(event, rule));
  }

  /** Fetches at most `limit` marks, newest first. */
  async list(query: URLSearchParams, limit: number): Promise<{ readonly marks: Mark[]; readonly more: boolean }> {
    const marks: Mark[] = [];
    let cursor: string | null = null;
    do {
      query.set('limit', String(Math.min(200, limit - marks.length)));
      if (cursor !== null) query.set('cursor', cursor);
      const page: z.infer<typeof PAGE> = read(PAGE, await this.client.get(`/v1/marks?${query.toString()}`));
      marks.push(...page.data);
      cursor = page.next_cursor;
    } while (cursor !== null && marks.length < limit);
    return { marks, more: cursor !== null };
  }
}

function path(event: string, rule: string): string {
  return `/v1/events/${encodeURIComponent(event)}/marks/${encodeURIComponent(rule)}`;
}

function read<Shape extends z.ZodType>(shape: Shape, answer: unknown): z.infer<Shape> {
  const parsed = shape.safeParse(answer);
  if (!parsed.success) throw new ApiError(0, 'bad_answer', 'the answer does not have the expected format');
  return parsed.data;
}
