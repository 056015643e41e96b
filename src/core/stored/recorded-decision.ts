import { DECISION_ACTIONS } from '../model/actions.js';
import type { JsonValue } from '../model/call.js';
import { ENVIRONMENTS, type ContentCapture, type Environment } from '../model/compiled-policy.js';
import type { StageSnapshot } from './fact-snapshot.js';

/** The snapshot version that can be judged again. */
export const SNAPSHOT_VERSION = 2;

/** A decision from the log, with all data that another policy needs to judge the same call. */
export interface RecordedDecision {
  /** The event's id in the log. */
  readonly id: string;
  readonly type: string;
  readonly environment: Environment;
  readonly app: string;
  readonly key: string;
  readonly receivedAt: string;
  /** Digest of the policy that judged the call: SHA-256 in hex. */
  readonly policyDigest: string | null;
  readonly capture: ContentCapture;
  /** Masked, unless all content is captured. */
  readonly metadata?: JsonValue;
  readonly sessionId?: string;
  /** The time of the call as seen by the rules, in milliseconds since the epoch. */
  readonly clockMs: number;
  /** Whether the caller had asked for monitor mode. */
  readonly clientMonitor: boolean;
  /** Fingerprints of the detectors and structure plugins, by key. */
  readonly makers: Readonly<Record<string, string>>;
  readonly stages: readonly StageSnapshot[];
}

/** `other`: an event that no rule judged. `old`: its snapshot has an earlier format. `broken`: not a valid event. */
export type ReadRecord =
  { readonly kind: 'decision'; readonly decision: RecordedDecision } | { readonly kind: 'other' | 'old' | 'broken' };

/** Reads an event in the form of the API and of exports. */
export function readRecordedDecision(event: unknown): ReadRecord {
  if (!isObject(event) || typeof event['id'] !== 'string' || typeof event['type'] !== 'string')
    return { kind: 'broken' };
  const facts = event['facts'];
  if (facts === null || facts === undefined) return { kind: 'other' };
  const environment = ENVIRONMENTS.find((name) => name === event['environment']);
  if (!isObject(facts) || environment === undefined) return { kind: 'broken' };
  if (typeof facts['v'] === 'number' && facts['v'] < SNAPSHOT_VERSION) return { kind: 'old' };
  const clockMs = typeof facts['clock'] === 'string' ? Date.parse(facts['clock']) : Number.NaN;
  const stages = facts['stages'];
  if (facts['v'] !== SNAPSHOT_VERSION || Number.isNaN(clockMs) || !Array.isArray(stages) || !stages.every(isStage)) {
    return { kind: 'broken' };
  }
  const policy = event['policy'];
  const app = event['app'];
  const sessionId = event['session_id'];
  return {
    kind: 'decision',
    decision: {
      id: event['id'],
      type: event['type'],
      environment,
      app: isObject(app) ? textOf(app['name'] ?? app['id']) : '',
      key: textOf(event['key_id']),
      receivedAt: textOf(event['received_at']),
      policyDigest: isObject(policy) && typeof policy['digest'] === 'string' ? policy['digest'] : null,
      capture: event['capture'] === 'full' ? 'full' : event['capture'] === 'none' ? 'none' : 'redacted',
      ...(isObject(event['metadata']) ? { metadata: event['metadata'] as JsonValue } : {}),
      ...(typeof sessionId === 'string' ? { sessionId } : {}),
      clockMs,
      clientMonitor: facts['client_monitor'] === true,
      makers: isObject(facts['makers']) ? (facts['makers'] as Record<string, string>) : {},
      stages,
    },
  };
}

function isStage(value: unknown): value is StageSnapshot {
  return (
    isObject(value) &&
    ['pre', 'post', 'tool'].includes(value['stage'] as string) &&
    isObject(value['facts']) &&
    Array.isArray(value['fired']) &&
    (DECISION_ACTIONS as readonly unknown[]).includes(value['action'])
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
