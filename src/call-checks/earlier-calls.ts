import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../access/index.js';
import { CALLS_PREFIX, proxyTarget, spendingCall, type AdmittedCall } from '../calls/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import {
  decodeRequest,
  JsonSyntaxError,
  parseJson,
  NO_TEXTS,
  type DecodedCall,
  type Dialect,
  type JsonDocument,
} from '../core/index.js';
import { EventLog, Spending, StoredRequests, type StoredRequest } from '../events/index.js';
import { invalidRequest, WeirError } from '../http/index.js';
import type { Judgement } from '../judgement/index.js';
import { PolicyStore } from '../policy-store/index.js';
import { recalled, type ReplayRoute } from './replay-answer.js';

/** The empty judgement of a call that another process judged: the data about it comes from the log. */
const MADE_ELSEWHERE: Judgement = {
  action: 'allow',
  unavailable: false,
  missing: [],
  fired: [],
  excepted: [],
  violations: [],
  edits: [],
  redactions: [],
  restorable: new Map(),
  outcomes: [],
  findings: [],
  snapshot: '{}',
  monitorIgnored: false,
  tookMs: 0,
};
const UNKNOWN_ROUTE = '/unknown';

/** Calls that another process admitted, or this one before a restart, reconstructed from the log. */
@Injectable()
export class EarlierCalls {
  constructor(
    @Inject(APP_CONFIG) private readonly config: AppConfig,
    @Inject(StoredRequests) private readonly requests: StoredRequests,
    @Inject(EventLog) private readonly log: EventLog,
    @Inject(PolicyStore) private readonly policies: PolicyStore,
    @Inject(Spending) private readonly spending: Spending,
  ) {}

  /**
   * Reconstructs the call, with the policy that is active now.
   * @throws WeirError `not_found`; `invalid_request` for a call that was refused; `unavailable`
   */
  async find(caller: Caller, id: string): Promise<AdmittedCall> {
    const policy = this.policies.active(caller.accountId, caller.environment);
    const stored = await this.requests.asked(caller, id, policy);
    if (stored === null) throw new WeirError('not_found');
    if (stored.isBlocked) throw refusedCallError();
    const route = await this.routeOf(caller, stored);
    const target = proxyTarget(
      `${CALLS_PREFIX}${route.provider}${route.path === '' ? UNKNOWN_ROUTE : route.path}`,
      route.method,
      this.config.providers,
      CALLS_PREFIX,
    );
    const { doc, call } = readStored(target.dialect, stored);
    const { metadata, sessionId, model } = stored;
    const hold = await this.spending.holdOf(caller, id);
    const known: Omit<AdmittedCall, 'ledger'> = {
      surface: 'calls',
      caller,
      target,
      policy,
      requestId: stored.requestId ?? id,
      method: route.method,
      annotations: metadataOf(metadata, sessionId),
      ...(metadata === undefined ? {} : { storedMetadata: metadata }),
      ...(sessionId === undefined ? {} : { storedSessionId: sessionId }),
      ...(model === undefined ? {} : { storedModel: model }),
      receivedAt: stored.receivedAt,
      startedMs: performance.now(),
      rollback: () => undefined,
      leave: () => undefined,
      request: { ...call, ...(model === undefined ? {} : { model }) },
      ...(doc === undefined ? {} : { doc }),
      judgement: MADE_ELSEWHERE,
      id,
      eventId: stored.eventId,
      hold,
      earlier: stored.earlier,
    };
    return { ...known, ledger: await this.spending.known(spendingCall(known)) };
  }

  /** The route as stored with the decision about the call; without it, the answer is read as one of an unknown route. */
  private async routeOf({ appId, environment, accountId }: Caller, stored: StoredRequest): Promise<ReplayRoute> {
    const answer = await this.log.remembered(appId, environment, stored.eventId, accountId);
    if (answer !== null && answer.body !== '') return recalled(answer).route;
    return { provider: stored.provider ?? '', method: 'POST', path: '' };
  }
}

/** A refused call was not sent: it cannot have an answer. */
export function refusedCallError(): WeirError {
  return invalidRequest([{ path: 'call', message: 'was refused: it has no answer to report' }]);
}

/** The end of the call is known, but the answer to the report of it is no longer stored. */
export function answerExpired(): WeirError {
  return invalidRequest([{ path: 'call', message: 'was reported before; the result is no longer stored' }]);
}

function metadataOf(metadata: string | undefined, sessionId: string | undefined) {
  return {
    ...(metadata === undefined ? {} : { metadata: parseJson(metadata) }),
    ...(sessionId === undefined ? {} : { sessionId }),
  };
}

/** Parses the stored request, whose tokens are counted; its texts are masked. */
function readStored(dialect: Dialect, { payload }: StoredRequest): { doc?: JsonDocument; call: DecodedCall } {
  if (payload === undefined) return { call: NO_TEXTS };
  try {
    const doc = parseJson(payload);
    return { doc, call: decodeRequest(dialect, doc) };
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { call: NO_TEXTS };
    throw error;
  }
}
