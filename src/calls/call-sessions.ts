/** The history of a call's session: read by its rules, and written with its events. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import {
  historyOf,
  readsSessions,
  rememberedBy,
  SESSIONS,
  Unknown,
  type DecodedCall,
  type SessionAdditions,
  type SessionHistory,
} from '../core/index.js';
import { DatabaseClock } from '../database/index.js';
import {
  answerLink,
  sessionFingerprint,
  SessionHistories,
  sessionKey,
  type SessionKey,
  type SessionStepToWrite,
  type SpendingCall,
} from '../events/index.js';

/** The owner and id of a session. */
export type CallInSession = Pick<SpendingCall, 'caller' | 'policy' | 'context'>;

/** A session as one call found it. */
export interface OpenSession {
  readonly history: SessionHistory | Unknown;
  /** Absent where it could not be read. */
  readonly version?: number;
}

/** The pause between attempts to find the link of an answer. */
const LINK_WAITS_MS = [25, 75, 200];

@Injectable()
export class CallSessions {
  /** The last pending call of each session; calls of a session are judged and stored in sequence. */
  private readonly turns = new Map<string, Promise<unknown>>();

  constructor(
    @Inject(SessionHistories) private readonly histories: Pick<SessionHistories, 'read' | 'sessionOfAnswer'>,
    @Inject(DatabaseClock) private readonly clock: Pick<DatabaseClock, 'nowMs'>,
  ) {}

  /** The session of a call whose policy asks about sessions. */
  keyOf({ caller, policy, context }: CallInSession): SessionKey | undefined {
    if (context.sessionId === undefined || !readsSessions(policy.policy)) return undefined;
    return sessionKey(caller, context.sessionId);
  }

  /**
   * The session of a call that names none: of one that goes on from an answer, that answer's; of one that a later call may go
   * on from, a new one. Nothing where nobody asks.
   *
   * @param earlier the id of the answer that it goes on from
   * @param mayBegin whether its answer is stored at the provider under an id
   */
  async chained(
    { caller, policy }: Pick<CallInSession, 'caller' | 'policy'>,
    request: DecodedCall,
    earlier: string | undefined,
    mayBegin: boolean,
  ): Promise<{ readonly sessionId?: string; readonly missing?: string }> {
    if (!readsSessions(policy.policy)) return {};
    if (earlier === undefined) return mayBegin && !bringsItsPast(request) ? { sessionId: randomUUID() } : {};
    try {
      const sessionId = await this.sessionOf(caller, earlier);
      return sessionId === undefined ? { missing: SESSIONS.unknownAnswer } : { sessionId };
    } catch {
      return { missing: 'session' };
    }
  }

  /**
   * A client has the last event of a stream before the end of its call is stored: whoever goes on from an answer at once may be
   * earlier than its link.
   */
  private async sessionOf(caller: CallInSession['caller'], earlier: string): Promise<string | undefined> {
    for (const waitMs of LINK_WAITS_MS) {
      const sessionId = await this.histories.sessionOfAnswer(caller, earlier, this.clock.nowMs());
      if (sessionId !== undefined) return sessionId;
      await delay(waitMs);
    }
    return this.histories.sessionOfAnswer(caller, earlier, this.clock.nowMs());
  }

  /** What happened in the session so far; undefined where nobody asks. What cannot be read is unknown, not empty. */
  async open(call: CallInSession): Promise<OpenSession | undefined> {
    const key = this.keyOf(call);
    const { sessionId } = call.context;
    if (key === undefined || sessionId === undefined) return undefined;
    const nowMs = this.clock.nowMs();
    try {
      const { state, version } = await this.histories.read(key, nowMs);
      return { history: historyOf(state, nowMs, sessionFingerprint(sessionId)), version };
    } catch {
      return { history: new Unknown('unavailable', 'session') };
    }
  }

  /**
   * What a call that goes on means for its session.
   * @param judgedBy the version that it was judged by, where it must not be stored after another call
   */
  stepOf(
    call: CallInSession,
    decoded: DecodedCall,
    at: Date,
    judgedBy: number | undefined,
  ): SessionStepToWrite | undefined {
    const key = this.keyOf(call);
    const { sessionId } = call.context;
    if (key === undefined || sessionId === undefined) return undefined;
    const fingerprint = sessionFingerprint(sessionId);
    const remembered = rememberedBy(call.policy.structures, decoded);
    const added: SessionAdditions = { ...remembered, named: remembered.named.map(fingerprint) };
    const { answerId } = decoded;
    const link = answerId === undefined ? {} : { link: answerLink(answerId, sessionId) };
    const isEmpty = [added.steps, added.calls, added.named].every(({ length }) => length === 0);
    // Nothing to remember of it, and nothing that must not come after another call.
    if (isEmpty && judgedBy === undefined && answerId === undefined) return undefined;
    return { key, added, atMs: at.getTime(), ...link, ...(judgedBy === undefined ? {} : { judgedBy }) };
  }

  /** Calls of one session that rules judge by it take turns; those of other replicas are noticed when they are stored. */
  async inTurn<Result>(call: CallInSession, work: () => Promise<Result>): Promise<Result> {
    const key = this.keyOf(call);
    if (key === undefined) return work();
    const name = `${key.accountId} ${key.appId} ${key.environment} ${key.digest}`;
    const before = this.turns.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine.then(nothing, nothing);
    this.turns.set(name, settled);
    try {
      return await mine;
    } finally {
      if (this.turns.get(name) === settled) this.turns.delete(name);
    }
  }
}

/** A request that tells what happened before does not begin a session: nobody knows when, and how often, it happened. */
function bringsItsPast({ pastToolCalls, pastToolResults, segments }: DecodedCall): boolean {
  return pastToolCalls.length > 0 || pastToolResults.length > 0 || segments.some(({ role }) => role === 'assistant');
}

const nothing = (): void => undefined;
