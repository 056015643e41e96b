/** From a judged submission to the row that is stored. */
import type { Caller } from '../access/index.js';
import { draftEvent } from '../calls/index.js';
import type { StoredMarks } from '../core/index.js';
import type { Judgement } from '../judgement/index.js';
import type { ActivePolicy } from '../policy-store/index.js';
import type { NewEvent } from '../events/index.js';
import { storedName, type Masks, type StoredTexts } from './stored-texts.js';
import type { Submission } from './submission.js';
import type { Verdict } from './verdict.js';

export interface EventParts {
  readonly id: string;
  readonly eventId: string;
  readonly caller: Caller;
  readonly receivedAt: Date;
  readonly submission: Submission;
  readonly policy: ActivePolicy;
  readonly texts: Omit<StoredTexts, 'removals'>;
  readonly marks?: StoredMarks;
  readonly masks: Masks;
  readonly judgement?: Judgement;
  readonly verdict: Verdict;
  /** Milliseconds from the arrival of the body until now. */
  readonly weirMs: number;
}

export function newEvent(parts: EventParts): NewEvent {
  const { submission, policy, texts, marks, masks, judgement, verdict, weirMs, ...rest } = parts;
  const { event, call, declaredEnvironment, requestId, sessionId, costNanoUsd } = submission;
  const failed = event.type === 'ai.error' ? (event.payload ?? undefined) : undefined;
  const error = typeof failed?.error === 'object' ? failed.error : undefined;
  const stored = (name: string | undefined) => (name === undefined ? undefined : storedName(name, submission, masks));
  return draftEvent(
    {
      ...rest,
      ...{ type: event.type, source: 'rest', declaredEnvironment, policy, judgement },
      violations: verdict.violations,
      redactions: verdict.redactions,
      latencyMs: { weir: Math.round(weirMs * 1000) / 1000, provider: failed?.latency_ms ?? undefined },
    },
    {
      ...{ requestId, costNanoUsd, marks },
      ...texts,
      sessionId: stored(sessionId),
      provider: submission.storedProvider ?? submission.provider,
      model: submission.storedModel ?? submission.model,
      decision: 'decision' in verdict ? verdict.decision : undefined,
      reason: 'reason' in verdict ? verdict.reason : stored(error?.type ?? undefined),
      usage: event.type === 'ai.response' ? call.usage : undefined,
      upstreamStatus: error?.status ?? undefined,
    },
  );
}
