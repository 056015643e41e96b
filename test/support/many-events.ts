import type { Database } from '../../src/database/index.js';

const BATCH = 10_000;
const HOUR_MS = 3_600_000;

export interface ManyEvents {
  readonly accountId: string;
  readonly appId: string;
  readonly events: number;
  /** Time of the first event, by default an hour ago. */
  readonly startMs?: number;
}

/** Inserts this number of generated events into the log: event `n` costs `n` micro-dollars and has `n % 1000` prompt tokens. */
export async function fillWithEvents(
  database: Database,
  { accountId, appId, events, startMs = Date.now() - HOUR_MS }: ManyEvents,
): Promise<void> {
  const owner = database.sql.forMaintenance();
  for (let from = 0; from < events; from += BATCH) {
    await owner.query(
      `INSERT INTO events (account_id, id, event_id, event_id_claimed, type, app_id, key_id, environment,
         declared_environment, source, capture, violations, redactions, detectors, model, payload, prompt_tokens,
         completion_tokens, cost_nano_usd, received_at)
       SELECT $1::uuid, (lpad(to_hex($3::text::bigint + n / 1000), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0') || '8'
           || lpad(to_hex(n), 15, '0'))::uuid, 'event-' || n, false, 'ai.request', $2::uuid, 'AbCdEfGhIjKl', 'production',
         'production', 'rest', 'redacted', '[]', '[]', '[]', 'gpt-4o',
         json_build_object('messages', json_build_array(json_build_object('role', 'user', 'content',
           repeat(md5(n::text), 20)))), n % 1000, 1, n * 1000,
         to_timestamp(($3::text::bigint + n / 1000) / 1000.0)
       FROM generate_series($4::text::bigint, $5::text::bigint) n`,
      [accountId, appId, String(startMs), String(from), String(Math.min(events, from + BATCH) - 1)],
    );
  }
}
