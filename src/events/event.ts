import { DECISION_ACTIONS } from '../core/index.js';
import type {
  ContentCapture,
  DecisionAction,
  Environment,
  ExceptedInCall,
  LedgerStep,
  RedactionCount,
  StoredMarks,
  Usage,
  Violation,
} from '../core/index.js';
import type { PrecedingStatement, SqlExecutor, SqlSession } from '../database/index.js';
import type { SessionStepToWrite } from './sessions/session-key.js';
import type { EventValues } from './fields/event-values.js';

export type ClientEventType = 'ai.request' | 'ai.response' | 'ai.error' | 'agent.tool_call';
export type EventType = ClientEventType | 'policy.violation' | 'budget.exceeded';

export const EVENT_TYPES = [
  'ai.request',
  'ai.response',
  'ai.error',
  'agent.tool_call',
  'policy.violation',
  'budget.exceeded',
] as const satisfies readonly EventType[];

export const DECISIONS = DECISION_ACTIONS;

/** The entry point of a call: submitted over REST, forwarded by the proxy, or judged on request with its own body. */
export const EVENT_SOURCES = ['rest', 'proxy', 'calls'] as const;
export type EventSource = (typeof EVENT_SOURCES)[number];

export interface DetectorRecord {
  readonly key: string;
  readonly plugin: string;
  readonly version: string;
  readonly revision: number;
  readonly status: 'scanned' | 'failed' | 'timeout' | 'not_run';
}

/** The `priceVersion` of an event whose sender submitted its cost. */
export const SUBMITTED_COST = 'submitted';

/**
 * One row of the event log, as it is to be stored. Texts are already masked according to `capture`. Fields with at most
 * one value, such as `provider`, come from `fields/event-values.ts`.
 */
export interface NewEvent extends EventValues {
  /** UUIDv7, made by the server; carries `receivedAt`. */
  readonly id: string;
  /** The client's idempotency key, else equal to `id`. */
  readonly eventId: string;
  readonly type: EventType;
  readonly accountId: string;
  readonly appId: string;
  readonly keyId: string;
  readonly environment: Environment;
  readonly declaredEnvironment: Environment;
  readonly source: EventSource;
  readonly capture: ContentCapture;
  /** The marks on the payload; absent if there are none. */
  readonly marks?: StoredMarks;
  readonly decision?: DecisionAction | 'block';
  readonly violations: readonly Violation[];
  /** Rules that matched and to which an exception was applied; absent if there are none. */
  readonly excepted?: readonly ExceptedInCall[];
  readonly redactions: readonly RedactionCount[];
  readonly usage?: Usage;
  readonly latencyMs?: { readonly total?: number; readonly provider?: number; readonly weir?: number };
  readonly detectors: readonly DetectorRecord[];
  readonly receivedAt: Date;
}

/** The answer that a retry of the same event gets, byte for byte. `body` omits the redacted payload under `content: none`. */
export interface RememberedAnswer {
  readonly status: number;
  readonly body: string;
  /**
   * Replaces `body` when the retention of its texts ends. Absent if `body` contains no text, and after the replacement.
   */
  readonly remade?: string;
}

/** An event with its children and effects, committed in one transaction or not at all. */
export interface AppendRequest {
  readonly event: NewEvent;
  /** `policy.violation` and `budget.exceeded` events caused by it. */
  readonly children: readonly NewEvent[];
  /** The event's effects on budgets: applied in the same transaction, or not at all. */
  readonly ledger?: readonly LedgerStep[];
  /** The event's effect on its session: written in the same transaction. */
  readonly session?: SessionStepToWrite;
  readonly idempotency: {
    /** SHA-256 of the canonical JSON of the client's body; random if the client sent no id. */
    readonly fingerprint: Buffer;
    /** Absent for answers that must not be remembered (503): the id stays free for a retry. */
    readonly answer?: RememberedAnswer;
  };
}

export interface StoredAnswer extends RememberedAnswer {
  readonly fingerprint: Buffer;
  /** The server's id of the first event. */
  readonly id: string;
}

export type AppendResult =
  /** `lost`: the call no longer holds its reservation, so it must not continue. */
  | { readonly outcome: 'appended'; readonly reservation?: 'lost' }
  /** After this call was judged, another call of its session was stored: this call was not stored and has to be judged again. */
  | { readonly outcome: 'session_moved' }
  /** The id was already claimed: nothing was stored. */
  | { readonly outcome: 'duplicate'; readonly stored: StoredAnswer };

/**
 * Applies the effects of events on budgets, in the transaction that stores them. `src/composition.ts` binds the
 * implementation.
 */
export abstract class LedgerWriter {
  /** @returns further events to store with the given ones, and the ids of events whose call lost its reservation */
  abstract write(
    transaction: SqlExecutor,
    stored: readonly { readonly event: NewEvent; readonly steps: readonly LedgerStep[] }[],
  ): Promise<LedgerWritten>;

  /**
   * Does the same as `write`, but in one message to the database, together with the statement that stores the events.
   *
   * @returns undefined if further events must be stored with them: then nothing was stored, and a transaction with `write` is needed
   */
  abstract writeWith(
    insertion: PrecedingStatement,
    sql: SqlSession,
    stored: readonly { readonly event: NewEvent; readonly steps: readonly LedgerStep[] }[],
    size: number,
  ): Promise<LedgerWritten | undefined>;

  /**
   * Runs as the owner of the tables: deletes the ledger's entries of deleted events, and keeps its sums. Each call reads and deletes so
   * few entries that nobody waits long.
   *
   * @returns the id after which the next call has to continue; undefined if nothing is left
   */
  abstract forget(maintenance: SqlExecutor, of: DeletedCalls): Promise<string | undefined>;
}

/** Calls whose entries in the ledger are to be deleted, if their events are deleted. */
export interface DeletedCalls {
  readonly accountId: string;
  readonly environment: Environment;
  /** The calls begin with events between these ids, neither of which is the id of an event. */
  readonly afterId: string;
  readonly beforeId: string;
}

export interface LedgerWritten {
  readonly children: readonly NewEvent[];
  readonly lost: ReadonlySet<string>;
  /** Call this after the transaction is committed. */
  committed(): void;
}
