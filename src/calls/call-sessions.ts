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
  maskedSessionDigest,
  sessionFingerprint,
  SessionHistories,
  sessionKey,
  type NewEvent,
  type SessionKey,
  type SessionStepToWrite,
  type SpendingCall,
} from '../events/index.js';

/** The owner and id of a session. */
export type CallInSession = Pick<SpendingCall, 'caller' | 'policy' | 'context'>;

/** The state of a session when one call opened it. */
export interface OpenSession {
  readonly history: SessionHistory | Unknown;
  /** Absent if the session could not be read. */
  readonly version?: number;
}

/** The pauses between attempts to find the session that an answer is linked to. */
const LINK_WAITS_MS = [25, 75, 200];

@Injectable()
export class CallSessions {
  /** The last pending call of each session; calls of a session are judged and stored in sequence. */
  private readonly turns = new Map<string, Promise<unknown>>();

  constructor(
    @Inject(SessionHistories) private readonly histories: Pick<SessionHistories, 'read' | 'sessionOfAnswer'>,
    @Inject(DatabaseClock) private readonly clock: Pick<DatabaseClock, 'nowMs'>,
  ) {}

  /** The session of a call; undefined if it names none or if no rule of its policy reads sessions. */
  keyOf({ caller, policy, context }: CallInSession): SessionKey | undefined {
    if (context.sessionId === undefined || !readsSessions(policy.policy)) return undefined;
    return sessionKey(caller, context.sessionId);
  }

  /**
   * The session of a call that names none: for a call that continues an earlier answer, the session of that answer; for a call
   * that later calls may continue, a new session. No session if no rule of the policy reads sessions.
   *
   * @param earlier the id of the answer that the call continues
   * @param mayBegin whether the call's answer is stored at the provider under an id
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
   * A client receives the last event of a stream before the end of its call is stored. So a call that continues an answer at
   * once may arrive before the answer's link to its session is stored.
   */
  private async sessionOf(caller: CallInSession['caller'], earlier: string): Promise<string | undefined> {
    for (const waitMs of LINK_WAITS_MS) {
      const sessionId = await this.histories.sessionOfAnswer(caller, earlier, this.clock.nowMs());
      if (sessionId !== undefined) return sessionId;
      await delay(waitMs);
    }
    return this.histories.sessionOfAnswer(caller, earlier, this.clock.nowMs());
  }

  /** Reads the history of the session; undefined if no rule reads it. A history that cannot be read is unknown, not empty. */
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
   * The step that a recorded call adds to its session.
   * @param event as it is stored, with the masked id of the session
   * @param judgedBy the version of the session by which the call was judged, if it must not be stored after another call
   */
  stepOf(
    call: CallInSession,
    decoded: DecodedCall,
    event: Pick<NewEvent, 'receivedAt' | 'sessionId'>,
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
    // The call adds nothing to the session, and its order among the calls of the session does not matter.
    if (isEmpty && judgedBy === undefined && answerId === undefined) return undefined;
    return {
      ...{ key, added, atMs: event.receivedAt.getTime(), ...link },
      ...(judgedBy === undefined ? {} : { judgedBy }),
      ...maskedIn(event, sessionId),
    };
  }

  /** Runs work for calls of one session in sequence. Calls on other replicas are detected when they are stored. */
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

/** The digest of the session's id as it is stored, if it is masked there. */
function maskedIn({ sessionId: stored }: Pick<NewEvent, 'sessionId'>, sessionId: string): { readonly masked?: string } {
  return stored === undefined || stored === sessionId ? {} : { masked: maskedSessionDigest(stored) };
}

/** Whether a request contains earlier steps. It does not begin a session, because the time and number of these steps are unknown. */
function bringsItsPast({ pastToolCalls, pastToolResults, segments }: DecodedCall): boolean {
  return pastToolCalls.length > 0 || pastToolResults.length > 0 || segments.some(({ role }) => role === 'assistant');
}

const nothing = (): void => undefined;
