/** Creates the row to be stored from a judged call, for every entry point. */
import type { Caller } from '../access/index.js';
import { definedFields, type Environment, type RedactionCount, type Violation } from '../core/index.js';
import type { DetectorRecord, EventSource, EventType, EventValues, NewEvent } from '../events/index.js';
import type { Judgement } from '../judgement/index.js';
import type { ActivePolicy } from '../policy-store/index.js';

/** The fields of every event of a call. */
export interface EventParts {
  readonly id: string;
  readonly eventId: string;
  readonly type: EventType;
  readonly caller: Caller;
  readonly source: EventSource;
  readonly declaredEnvironment: Environment;
  readonly policy: ActivePolicy;
  /** Absent for events that no rule judges. */
  readonly judgement?: Judgement | undefined;
  readonly violations: readonly Violation[];
  readonly redactions: readonly RedactionCount[];
  readonly latencyMs: {
    readonly weir: number;
    readonly provider?: number | undefined;
    readonly total?: number | undefined;
  };
  readonly receivedAt: Date;
}

/** The fields that `draftEvent` derives for every call. */
type OfEveryCall = 'policyId' | 'policyDigest' | 'policyVersion' | 'facts';

/** Additional fields of some events; undefined values are omitted. */
export type EventExtras = {
  readonly [Name in Exclude<keyof EventValues, OfEveryCall> | 'decision' | 'marks' | 'usage']?:
    NewEvent[Name] | undefined;
};

/** Creates the event as it would be stored. */
export function draftEvent(parts: EventParts, extras: EventExtras): NewEvent {
  const { id, eventId, type, caller, source, declaredEnvironment, policy, judgement } = parts;
  const { accountId, appId, keyId, environment } = caller;
  const { violations, redactions, latencyMs, receivedAt } = parts;
  return {
    ...{ id, eventId, type, accountId, appId, keyId, environment, declaredEnvironment, source },
    ...definedFields(extras),
    capture: policy.policy.content,
    violations,
    ...exceptedIn(judgement),
    redactions,
    latencyMs: { ...definedFields(latencyMs), weir: latencyMs.weir },
    policyId: policy.policy.id,
    policyDigest: policy.digest,
    policyVersion: policy.version,
    detectors: judgement === undefined ? [] : detectorRecords(policy, judgement),
    ...(judgement === undefined ? {} : { facts: judgement.snapshot }),
    receivedAt,
  };
}

/** The violations that exceptions permitted; none if the call was refused because of an outage, as it has no violations either. */
function exceptedIn(judgement: Judgement | undefined): Pick<NewEvent, 'excepted'> {
  const excepted = judgement === undefined || judgement.unavailable ? [] : judgement.excepted;
  return excepted.length === 0 ? {} : { excepted };
}

/** The records of a policy's detectors when all of them have scanned, as they nearly always have: many events share one list. */
const ALL_SCANNED = new WeakMap<ActivePolicy, readonly DetectorRecord[]>();

/** One record for each detector of the policy with an outcome in this judgement. */
function detectorRecords(policy: ActivePolicy, { outcomes }: Judgement): readonly DetectorRecord[] {
  const known = ALL_SCANNED.get(policy);
  if (known !== undefined && areOf(known, outcomes)) return known;
  // A policy has so few detectors that searching for each is faster than building an index.
  const { detectors } = policy.policy;
  const records = outcomes.map((outcome): DetectorRecord => ({
    key: outcome.detector,
    plugin: outcome.plugin,
    version: detectors.find(({ key }) => key === outcome.detector)?.version ?? '',
    revision: outcome.revision,
    status: outcome.status === 'scanned' ? 'scanned' : outcome.reason,
  }));
  if (known !== undefined || records.some(({ status }) => status !== 'scanned')) return records;
  const shared = Object.freeze(records.map((record) => Object.freeze(record)));
  ALL_SCANNED.set(policy, shared);
  return shared;
}

/** Whether these are the records of detectors with these outcomes, all of which have scanned. */
function areOf(records: readonly DetectorRecord[], outcomes: Judgement['outcomes']): boolean {
  if (records.length !== outcomes.length) return false;
  return outcomes.every(({ detector, plugin, revision, status }, index) => {
    const record = records[index];
    return status === 'scanned' && record?.key === detector && record.plugin === plugin && record.revision === revision;
  });
}
