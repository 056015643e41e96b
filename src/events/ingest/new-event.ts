/** From a judged submission to the row that is stored. */
import type { Caller } from '../../access/index.js';
import type { StoredMarks } from '../../core/index.js';
import type { Judgement } from '../../judgement/index.js';
import type { ActivePolicy } from '../../policy-store/index.js';
import type { DetectorRecord, NewEvent } from '../event.js';
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
  const { id, eventId, caller, receivedAt, submission, policy, texts, marks, masks, judgement, verdict, weirMs } =
    parts;
  const { event, call, declaredEnvironment, requestId, sessionId, costNanoUsd } = submission;
  const model = submission.storedModel ?? submission.model;
  const provider = submission.storedProvider ?? submission.provider;
  const failed = event.type === 'ai.error' ? (event.payload ?? undefined) : undefined;
  const error = typeof failed?.error === 'object' ? failed.error : undefined;
  const stored = (name: string | undefined) => (name === undefined ? undefined : storedName(name, submission, masks));
  return {
    id,
    eventId,
    type: event.type,
    accountId: caller.accountId,
    appId: caller.appId,
    keyId: caller.keyId,
    environment: caller.environment,
    declaredEnvironment,
    source: 'rest',
    ...given({ requestId, sessionId: stored(sessionId), provider, model, costNanoUsd }),
    ...texts,
    ...given({ marks }),
    capture: policy.policy.content,
    ...given({
      decision: 'decision' in verdict ? verdict.decision : undefined,
      reason: 'reason' in verdict ? verdict.reason : stored(error?.type ?? undefined),
    }),
    violations: verdict.violations,
    redactions: verdict.redactions,
    ...given({ usage: event.type === 'ai.response' ? call.usage : undefined }),
    latencyMs: { weir: Math.round(weirMs * 1000) / 1000, ...given({ provider: failed?.latency_ms ?? undefined }) },
    policyId: policy.policy.id,
    policyDigest: policy.digest,
    policyVersion: policy.version,
    detectors: judgement === undefined ? [] : detectorRecords(policy, judgement),
    ...exceptedIn(judgement),
    ...given({ facts: judgement?.snapshot, upstreamStatus: error?.status ?? undefined }),
    receivedAt,
  };
}

/** What exceptions let go; nothing where the call was refused for an outage, as it has no violations either. */
export function exceptedIn(judgement: Judgement | undefined): Pick<NewEvent, 'excepted'> {
  const excepted = judgement === undefined || judgement.unavailable ? [] : judgement.excepted;
  return excepted.length === 0 ? {} : { excepted };
}

/** One record per detector of the policy that had a say. */
export function detectorRecords(policy: ActivePolicy, judgement: Judgement): DetectorRecord[] {
  const versions = new Map(policy.policy.detectors.map(({ key, version }) => [key, version]));
  return judgement.outcomes.map((outcome) => ({
    key: outcome.detector,
    plugin: outcome.plugin,
    version: versions.get(outcome.detector) ?? '',
    revision: outcome.revision,
    status: outcome.status === 'scanned' ? 'scanned' : outcome.reason,
  }));
}

type Given<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** Leaves out what is undefined, so that absent fields stay absent. */
function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}
