/**
 * Sessions of calls, for the commands `weir sessions …`: the requests for them and their output as text. The figures come from the
 * service and are never computed here.
 */
import { z } from 'zod';
import { apiClient, pagedRows, readAnswer, whereUnknown, type ApiClient, type ServerFlags } from '../api/index.js';
import { EVENT } from '../events/event-line.js';
import type { Io } from '../io.js';

/** The sums of the calls with one session id, in one app and environment. */
export const SESSION = z.object({
  session_id: z.string(),
  app: z.object({ id: z.string(), name: z.string().nullable() }),
  environment: z.enum(['development', 'staging', 'production']),
  first_at: z.string().describe('RFC 3339, UTC.'),
  last_at: z.string().describe('RFC 3339, UTC.'),
  calls: z.int(),
  tool_calls: z.int().describe('Number of tool calls; `calls` includes them.'),
  outcomes: z.record(z.string(), z.int()).describe('Number of calls by outcome.'),
  models: z.array(z.string()).describe('Models called in the session, at most 20.'),
  tokens: z.number(),
  cost_nano_usd: z.string().describe('Cost in integer nano-dollars, as text; calls without a price are not included.'),
  without_price: z.int().describe('Number of calls whose tokens are known, but not their price.'),
  weir_ms: z
    .number()
    .nullable()
    .optional()
    .describe('Processing time that Weir added, in milliseconds. Only if one session is named; null if it is unknown.'),
  rules: z
    .array(z.string())
    .nullable()
    .optional()
    .describe(
      'Ids of the rules that fired, including monitored ones, without those of archived events. Only if one session is named; null if they are unknown.',
    ),
});
export type Session = z.infer<typeof SESSION>;

/** A call of a session: its first event, with the outcome, the violations and the cost of the whole call. */
const CALL = EVENT.extend({
  parent_id: z.string().nullable(),
  outcome: z.string().nullable(),
  cost_nano_usd: z.string().nullable(),
  latency_ms: z.looseObject({ total: z.number().nullable() }),
});
type Call = z.infer<typeof CALL>;

/** A call with the name of the called tool, which the service returns only in the payload. */
export const SESSION_CALL = CALL.extend({
  tool: z.string().nullable().describe('Name of the called tool; null for other calls, and if it is not stored.'),
});
export type SessionCall = z.infer<typeof SESSION_CALL>;

/** The app and the environment of a session or a call: the same session id in another place is another session. */
export function placeOf({ app, environment }: Pick<Session, 'app' | 'environment'>): string {
  return `${environment} ${app.id}`;
}

const SESSIONS_PAGE = z.object({ data: z.array(SESSION), next_cursor: z.string().nullable() });
const CALLS_PAGE = z.object({ data: z.array(CALL), next_cursor: z.string().nullable() });
/** The name of the tool in the payload of a tool call. */
const TOOL = z.object({ tool: z.string() });
/** Number of events that one request may name. */
const NAMED = 200;

const unsupported = whereUnknown('this version of the service has no list of sessions');

/** The routes for sessions of calls; every response is validated. */
export class SessionClient {
  private constructor(private readonly client: ApiClient) {}

  static async of(flags: ServerFlags, io: Io): Promise<SessionClient> {
    return new SessionClient(await apiClient(flags, io));
  }

  /** At most `limit` sessions that match, the one with the latest event first. */
  async list(query: URLSearchParams, limit: number): Promise<{ readonly rows: Session[]; readonly more: boolean }> {
    return pagedRows(query, limit, async (page) =>
      readAnswer(SESSIONS_PAGE, await this.client.get(`/v1/sessions?${page}`).catch(unsupported)),
    );
  }

  /**
   * At most `limit` calls of a session, the oldest first.
   *
   * @param place parameters `session`, and where given `app` and `environment`
   * @param full whether to read payloads and facts as well, which takes longer
   */
  async calls(
    place: URLSearchParams,
    limit: number,
    full: boolean,
  ): Promise<{ readonly rows: SessionCall[]; readonly more: boolean }> {
    const shape = { view: 'calls', order: 'asc', fields: full ? 'all' : 'summary' };
    const query = new URLSearchParams({ ...Object.fromEntries(place), ...shape });
    const { rows, more } = await this.events(query, limit);
    const tools = toolNames(full ? rows : await this.toolCalls(rows));
    return { rows: rows.map((call) => ({ ...call, tool: tools.get(call.id) ?? null })), more };
  }

  /** The tool calls among these calls, with their payloads. */
  private async toolCalls(calls: readonly Call[]): Promise<Call[]> {
    const ids = calls.flatMap(({ id, type }) => (type === 'agent.tool_call' ? [id] : []));
    const found: Call[] = [];
    for (let from = 0; from < ids.length; from += NAMED) {
      const named = ids.slice(from, from + NAMED);
      const query = new URLSearchParams({ call: named.join(','), type: 'agent.tool_call' });
      found.push(...(await this.events(query, named.length)).rows);
    }
    return found;
  }

  private events(query: URLSearchParams, limit: number): Promise<{ readonly rows: Call[]; readonly more: boolean }> {
    return pagedRows(query, limit, async (page) => readAnswer(CALLS_PAGE, await this.client.get(`/v1/events?${page}`)));
  }
}

/** The names of called tools by the ids of their events. */
function toolNames(calls: readonly Call[]): ReadonlyMap<string, string> {
  return new Map(
    calls.flatMap(({ id, payload }) => {
      const tool = TOOL.safeParse(payload).data?.tool;
      return tool === undefined ? [] : [[id, tool] as const];
    }),
  );
}
