import {
  decodeRequest,
  JsonSyntaxError,
  parseJson,
  refuses,
  type DecodedCall,
  type DetectorOutcome,
  type LocatedFinding,
  type DecisionAction,
  memoizeByObject,
} from '../core/index.js';
import type { Caller } from '../access/index.js';
import type { SqlRow, TenantSql } from '../database/index.js';
import type { EarlierRequest } from '../judgement/index.js';
import type { ActivePolicy } from '../policy-store/index.js';
import type { DetectorRecord } from './event.js';

interface Row extends SqlRow {
  readonly capture: string;
  readonly payload: string | null;
  readonly facts: string | null;
  readonly detectors: string;
}

interface CallRow extends Row {
  readonly event_id: string;
  readonly request_id: string | null;
  readonly session_id: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly metadata: string | null;
  readonly decision: DecisionAction | null;
  readonly received_at: string;
}

/** A request as stored in the log. */
export interface StoredRequest {
  readonly eventId: string;
  readonly requestId?: string;
  readonly sessionId?: string;
  readonly provider?: string;
  readonly model?: string;
  /** JSON text, masked. */
  readonly metadata?: string;
  /** JSON text, masked according to its policy. */
  readonly payload?: string;
  readonly isBlocked: boolean;
  readonly receivedAt: Date;
  readonly earlier: EarlierRequest;
}

interface Snapshot {
  readonly findings?: readonly { readonly detector: string; readonly code: string; readonly score: number }[];
  readonly findings_left_out?: number;
}

/** Used in place of a segment's number: the text of these findings is not available here. */
const NO_SEGMENT = -1;

/**
 * The log's data on the request that a submitted `ai.response` answers: the same facts that the proxy has, because it processes both.
 * Its findings are always known. Its texts are used only if they are stored unchanged: in a conversation with masked addresses, every
 * address in the answer would seem to be new.
 */
export class StoredRequests {
  constructor(private readonly sql: TenantSql) {}

  /**
   * @returns undefined if no rule could read it, or if there is no such request; @throws DatabaseUnavailable
   */
  async find(
    { accountId, appId, environment }: Caller,
    requestId: string | undefined,
    call: DecodedCall,
    policy: ActivePolicy,
  ): Promise<EarlierRequest | undefined> {
    if (requestId === undefined || !readsRequests(policy, call)) return undefined;
    const [row] = await this.sql.forAccounts(accountId).query<Row>(
      `SELECT capture, payload::text AS payload, facts::text AS facts, detectors::text AS detectors
       FROM events
       WHERE account_id = $1::uuid AND request_id = $2 AND app_id = $3::uuid AND environment = $4 AND type = 'ai.request'
       ORDER BY id DESC LIMIT 1`,
      [accountId, requestId, appId, environment],
      { prepareAs: 'request_of_response' },
    );
    return row === undefined ? undefined : earlierRequest(row, policy);
  }

  /** Reads a request that was submitted to be judged. It is identified by the service's own id. @throws DatabaseUnavailable */
  async asked(
    { accountId, appId, environment }: Caller,
    id: string,
    policy: ActivePolicy,
  ): Promise<StoredRequest | null> {
    const [row] = await this.sql.forAccounts(accountId).query<CallRow>(
      `SELECT capture, payload::text AS payload, facts::text AS facts, detectors::text AS detectors, event_id,
         request_id, session_id, provider, model, metadata::text AS metadata, decision,
         to_char(received_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS received_at
       FROM events
       WHERE account_id = $1::uuid AND id = $2::uuid AND app_id = $3::uuid AND environment = $4
         AND type = 'ai.request' AND source = 'calls'`,
      [accountId, id, appId, environment],
      { prepareAs: 'asked_request' },
    );
    return row === undefined ? null : storedRequest(row, policy);
  }
}

function storedRequest(row: CallRow, policy: ActivePolicy): StoredRequest {
  const { event_id: eventId, request_id, session_id, provider, model, metadata, payload, decision } = row;
  return {
    eventId,
    ...(request_id === null ? {} : { requestId: request_id }),
    ...(session_id === null ? {} : { sessionId: session_id }),
    ...(provider === null ? {} : { provider }),
    ...(model === null ? {} : { model }),
    ...(metadata === null ? {} : { metadata }),
    ...(payload === null ? {} : { payload }),
    isBlocked: refuses(decision ?? undefined),
    receivedAt: new Date(row.received_at),
    earlier: earlierRequest(row, policy),
  };
}

function earlierRequest(row: Row, policy: ActivePolicy): EarlierRequest {
  const records = JSON.parse(row.detectors) as DetectorRecord[];
  const { findings = [], findings_left_out: leftOut = 0 } = JSON.parse(row.facts ?? '{}') as Snapshot;
  const outcomes = policy.policy.detectors.flatMap(({ key, plugin, revision }): DetectorOutcome[] => {
    const record = records.find((each) => each.key === key && each.plugin === plugin && each.revision === revision);
    if (record === undefined) return [];
    const { status } = record;
    if (status !== 'scanned') return [{ detector: key, plugin, revision, status: 'failed', reason: status }];
    const own = findings
      .filter(({ detector }) => detector === key)
      .map(({ code, score }): LocatedFinding => ({
        detector: key,
        code,
        score,
        segment: NO_SEGMENT,
        start: 0,
        end: 0,
      }));
    return [{ detector: key, plugin, revision, status: 'scanned', findings: own }];
  });
  const isUnmasked =
    row.capture === 'full' ||
    (row.capture === 'redacted' &&
      findings.length + leftOut === 0 &&
      records.every(({ status }) => status === 'scanned'));
  const call = isUnmasked ? decoded(row) : undefined;
  return { outcomes, ...(call === undefined ? {} : { call }) };
}

/** Decodes the whole body of a proxied request, or the payload of a submitted event. The format is recognised by the content. */
function decoded({ payload }: Row): DecodedCall | undefined {
  if (payload === null) return undefined;
  try {
    return decodeRequest('weir.ai_request', parseJson(`{"payload":${payload}}`));
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** Whether a rule reads more than the answer: a rule for each new tool call, or one for the whole answer. */
function readsRequests(policy: ActivePolicy, call: DecodedCall): boolean {
  const judgesCalls = policy.policy.rules.some(({ stage }) => stage === 'tool');
  return (judgesCalls && call.newToolCalls.length > 0) || readsStructure(policy);
}

const readsStructure = memoizeByObject((policy: ActivePolicy): boolean => {
  const roots = policy.structures.flatMap((structure) => (structure.reads === 'call' ? structure.roots : []));
  const rules = JSON.stringify(policy.policy.stages.post.asWritten);
  return [...new Set(roots)].some((root) => rules.includes(`"fact":${JSON.stringify(root)}`));
});
