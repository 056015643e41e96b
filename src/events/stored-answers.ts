import { EventLogUnavailable } from './event-log-errors.js';
import { DatabaseError, type TenantSql } from '../database/index.js';
import type { StoredAnswer } from './event.js';
import { joinedColumn, joinedValues } from './append-statement.js';

/** Stored instead of an answer whose text was deleted and cannot be restored. No answer begins like this. */
export const ANSWER_GONE = '@gone';

/** The owner of an idempotency id. */
export interface EventIdentity {
  readonly accountId: string;
  readonly eventId: string;
  readonly appId: string;
  readonly environment: string;
}

interface Waiting {
  readonly identity: EventIdentity;
  resolve(answer: StoredAnswer | null): void;
  reject(error: Error): void;
}

interface AnswerRow extends Record<string, unknown> {
  readonly position: number;
  readonly row_id: string;
  readonly fingerprint: string;
  readonly status: number;
  readonly body: string;
}

/** `OFFSET 0` makes PostgreSQL cast keys before it compares them, because it looks up nothing by a cast under row-level security. */
const STATEMENT = `
SELECT k.position::integer AS position, i.event_row_id::text AS row_id, encode(i.fingerprint, 'hex') AS fingerprint,
       i.answer_status::integer AS status, i.answer_body AS body
FROM (
  SELECT u.account_id::uuid AS account_id, u.event_id, u.app_id::uuid AS app_id, u.environment, u.position
  FROM unnest(${[0, 1, 2, 3].map(joinedColumn).join(', ')})
    WITH ORDINALITY AS u (account_id, event_id, app_id, environment, position) OFFSET 0) k
JOIN event_ids i ON i.account_id = k.account_id AND i.event_id = k.event_id
  AND i.app_id = k.app_id AND i.environment = k.environment`;

const MOST_AT_ONCE = 256;

/**
 * Looks up stored answers. Look-ups that arrive while a statement is in flight are combined into the next one; a
 * look-up never uses a statement that was sent before it.
 */
export class StoredAnswers {
  private waiting: Waiting[] = [];
  private inFlight = false;

  constructor(private readonly sql: TenantSql) {}

  /**
   * Looks up the stored answer for this id; null if there is none.
   *
   * @throws EventLogUnavailable
   */
  find(identity: EventIdentity): Promise<StoredAnswer | null> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ identity, resolve, reject });
      this.pump();
    });
  }

  private pump(): void {
    if (this.inFlight || this.waiting.length === 0) {
      return;
    }
    this.inFlight = true;
    void this.ask(this.waiting.splice(0, MOST_AT_ONCE)).finally(() => {
      this.inFlight = false;
      this.pump();
    });
  }

  /** Settles all of the given look-ups. Never rejects. */
  private async ask(questions: readonly Waiting[]): Promise<void> {
    try {
      const identities = questions.map(({ identity }) => identity);
      const sql = this.sql.forAccounts(...identities.map(({ accountId }) => accountId));
      const rows = await sql.query<AnswerRow>(
        STATEMENT,
        joinedValues([
          identities.map(({ accountId }) => accountId),
          identities.map(({ eventId }) => eventId),
          identities.map(({ appId }) => appId),
          identities.map(({ environment }) => environment),
        ]),
        { prepareAs: 'stored-answers' },
      );
      const byPosition = new Map(rows.map((row) => [row.position, row]));
      questions.forEach(({ resolve }, index) => resolve(storedAnswer(byPosition.get(index + 1))));
    } catch (cause) {
      const isOurFault = cause instanceof DatabaseError && cause.isForbidden;
      const failure = isOurFault ? cause : new EventLogUnavailable('the event log cannot be reached', { cause });
      questions.forEach(({ reject }) => reject(failure));
    }
  }
}

function storedAnswer(row: AnswerRow | undefined): StoredAnswer | null {
  return row === undefined
    ? null
    : { id: row.row_id, status: row.status, body: row.body, fingerprint: Buffer.from(row.fingerprint, 'hex') };
}
