/**
 * Writes the steps of sessions, in the transaction that stores their events. The rows are locked from before the events are stored
 * until the commit: of two calls that were judged with the same history, only the first is stored, on whichever replica, and the other
 * one is judged again.
 */
import { afterCall, compareText, NEW_SESSION, writtenState, type SessionState } from '../../core/index.js';
import type { SqlExecutor, SqlRow } from '../../database/index.js';
import { joinedColumn, joinedValues } from '../append-statement.js';
import { stateAt } from './session-histories.js';
import type { SessionKey, SessionStepToWrite } from './session-key.js';

interface Row extends SqlRow {
  readonly position: number;
  readonly version: number;
  readonly state: string;
  readonly used_ms: number;
}

const KEYS = `
  SELECT u.account_id::uuid AS account_id, u.app_id::uuid AS app_id, u.environment, u.session_key, u.position
  FROM unnest(${[0, 1, 2, 3].map(joinedColumn).join(', ')})
    WITH ORDINALITY AS u (account_id, app_id, environment, session_key, position)`;

/** Missing rows cannot be locked, so a new session gets its row first. */
const BEGIN = `
INSERT INTO session_histories (account_id, app_id, environment, session_key, version, state, used_at)
SELECT k.account_id, k.app_id, k.environment, k.session_key, 0, $${3 + 4}, 'epoch'::timestamptz FROM (${KEYS}) k
ORDER BY k.position
ON CONFLICT DO NOTHING`;

const LOCK = `
SELECT k.position::integer AS position, h.version, h.state, (extract(epoch FROM h.used_at) * 1000)::float8 AS used_ms
FROM (${KEYS} OFFSET 0) k
JOIN session_histories h ON h.account_id = k.account_id AND h.app_id = k.app_id
  AND h.environment = k.environment AND h.session_key = k.session_key
ORDER BY k.account_id, k.app_id, k.environment, k.session_key
FOR UPDATE OF h`;

const WRITE = `
UPDATE session_histories h SET version = h.version + 1, state = k.state, used_at = k.used_at::timestamptz
FROM (SELECT u.account_id::uuid AS account_id, u.app_id::uuid AS app_id, u.environment, u.session_key, u.state, u.used_at
      FROM unnest(${[0, 1, 2, 3, 4, 5].map(joinedColumn).join(', ')})
        AS u (account_id, app_id, environment, session_key, state, used_at) OFFSET 0) k
WHERE h.account_id = k.account_id AND h.app_id = k.app_id AND h.environment = k.environment
  AND h.session_key = k.session_key`;

/** An answer is linked once: if it is stored again, it keeps its session. */
const LINK = `
INSERT INTO session_histories (account_id, app_id, environment, session_key, version, state, used_at)
SELECT u.account_id::uuid, u.app_id::uuid, u.environment, u.session_key, 0, u.state, u.used_at::timestamptz
FROM unnest(${[0, 1, 2, 3, 4, 5].map(joinedColumn).join(', ')})
  AS u (account_id, app_id, environment, session_key, state, used_at)
ON CONFLICT DO NOTHING`;

/** Number of digests in one row: spellings of one id, such as a number grouped in several ways, have the same masked id. */
const MOST_SAME = 100;
const DIGEST_LENGTH = 43;

/** Written under the locks of the sessions. The row lives as long as the newest of its sessions. */
const MASKED = `
INSERT INTO session_histories AS h (account_id, app_id, environment, session_key, version, state, used_at)
SELECT u.account_id::uuid, u.app_id::uuid, u.environment, u.session_key, 0, u.state, u.used_at::timestamptz
FROM unnest(${[0, 1, 2, 3, 4, 5].map(joinedColumn).join(', ')})
  AS u (account_id, app_id, environment, session_key, state, used_at)
ON CONFLICT (account_id, app_id, environment, session_key) DO UPDATE SET
  used_at = greatest(h.used_at, excluded.used_at),
  state = CASE WHEN position(excluded.state IN h.state) > 0 THEN h.state
    ELSE right(h.state || ' ' || excluded.state, ${MOST_SAME * (DIGEST_LENGTH + 1) - 1}) END`;

/** A session may be deleted between the two statements that begin and lock it: each time, it is begun again. */
const MOST_TRIES = 20;

class SessionsKeepEnding extends Error {
  override readonly name = 'SessionsKeepEnding';
}

interface Linked {
  readonly key: SessionKey;
  readonly sealed: string;
  readonly atMs: number;
}

/** The sessions of a batch that are stored under one masked id. */
interface Masked {
  readonly key: SessionKey;
  readonly digests: Set<string>;
  usedMs: number;
}

interface Locked {
  readonly key: SessionKey;
  version: number;
  state: SessionState;
  usedMs: number;
  /** Whether a call that was judged with this version is already stored. */
  isTaken: boolean;
  isChanged: boolean;
}

/** The sessions of a batch, locked until its transaction ends. */
export class LockedSessions {
  private readonly links: Linked[] = [];
  private readonly masked = new Map<string, Masked>();

  private constructor(private readonly sessions: ReadonlyMap<string, Locked>) {}

  /** @throws DatabaseError | DatabaseUnavailable */
  static async of(transaction: SqlExecutor, steps: readonly SessionStepToWrite[]): Promise<LockedSessions> {
    const keys = [...new Map(steps.map(({ key }) => [textOf(key), key])).entries()]
      .sort(([a], [b]) => compareText(a, b))
      .map(([, key]) => key);
    const nowMs = Math.max(...steps.map(({ atMs }) => atMs));
    const sessions = new Map<string, Locked>();
    let missing = keys;
    for (let tries = 1; missing.length > 0; tries += 1) {
      if (tries > MOST_TRIES) throw new SessionsKeepEnding('sessions of a batch were deleted again and again');
      const rows = await beginAndLock(transaction, missing);
      for (const { position, version, state, used_ms } of rows) {
        const key = missing[position - 1]!;
        const usedMs = Number(used_ms);
        const found = { key, version, state: stateAt(state, usedMs, nowMs), usedMs, isTaken: false, isChanged: false };
        sessions.set(textOf(key), found);
      }
      missing = missing.filter((key) => !sessions.has(textOf(key)));
    }
    return new LockedSessions(sessions);
  }

  /**
   * Whether a step may be stored: it was judged with the current version of its session, and is the first such step
   * of the batch.
   */
  admits({ key, judgedBy }: SessionStepToWrite): boolean {
    if (judgedBy === undefined) return true;
    const session = this.sessions.get(textOf(key))!;
    if (session.isTaken || judgedBy !== session.version) return false;
    session.isTaken = true;
    return true;
  }

  /** Adds a step. */
  add({ key, added, atMs, link, masked }: SessionStepToWrite): void {
    if (link !== undefined) this.links.push({ key: { ...key, digest: link.digest }, sealed: link.sealed, atMs });
    if (masked !== undefined) this.addMasked({ ...key, digest: masked }, key.digest, atMs);
    const session = this.sessions.get(textOf(key))!;
    session.state = afterCall(session.state, added, atMs);
    session.usedMs = Math.max(session.usedMs, atMs);
    session.isChanged = true;
  }

  /** @throws DatabaseError | DatabaseUnavailable */
  async write(transaction: SqlExecutor): Promise<void> {
    await this.writeLinks(transaction);
    await this.writeMasked(transaction);
    const changed = [...this.sessions.values()].filter(({ isChanged }) => isChanged);
    if (changed.length === 0) return;
    const values = joinedValues([
      ...columnsOf(changed.map(({ key }) => key)),
      changed.map(({ state }) => writtenState(state)),
      changed.map(({ usedMs }) => new Date(usedMs).toISOString()),
    ]);
    await transaction.query(WRITE, values, { prepareAs: 'sessions-write' });
  }

  private addMasked(key: SessionKey, digest: string, atMs: number): void {
    const name = textOf(key);
    const known = this.masked.get(name) ?? { key, digests: new Set<string>(), usedMs: atMs };
    known.digests.add(digest);
    known.usedMs = Math.max(known.usedMs, atMs);
    this.masked.set(name, known);
  }

  private async writeMasked(transaction: SqlExecutor): Promise<void> {
    if (this.masked.size === 0) return;
    // In the same order in every transaction, because the rows are locked.
    const rows = [...this.masked.entries()].sort(([a], [b]) => compareText(a, b)).map(([, row]) => row);
    const values = joinedValues([
      ...columnsOf(rows.map(({ key }) => key)),
      rows.map(({ digests }) => [...digests].join(' ')),
      rows.map(({ usedMs }) => new Date(usedMs).toISOString()),
    ]);
    await transaction.query(MASKED, values, { prepareAs: 'sessions-masked' });
  }

  private async writeLinks(transaction: SqlExecutor): Promise<void> {
    const { links } = this;
    if (links.length === 0) return;
    const values = joinedValues([
      ...columnsOf(links.map(({ key }) => key)),
      links.map(({ sealed }) => sealed),
      links.map(({ atMs }) => new Date(atMs).toISOString()),
    ]);
    await transaction.query(LINK, values, { prepareAs: 'sessions-link' });
  }
}

/** @returns the rows that are locked now: a session that existed is missing if it was deleted before it was locked */
async function beginAndLock(transaction: SqlExecutor, keys: readonly SessionKey[]): Promise<Row[]> {
  const values = joinedValues(columnsOf(keys));
  await transaction.query(BEGIN, [...values, writtenState(NEW_SESSION)], { prepareAs: 'sessions-begin' });
  return transaction.query<Row>(LOCK, values, { prepareAs: 'sessions-lock' });
}

function columnsOf(keys: readonly SessionKey[]): string[][] {
  return [
    keys.map(({ accountId }) => accountId),
    keys.map(({ appId }) => appId),
    keys.map(({ environment }) => environment),
    keys.map(({ digest }) => digest),
  ];
}

function textOf({ accountId, appId, environment, digest }: SessionKey): string {
  return `${accountId} ${appId} ${environment} ${digest}`;
}
