import type { Caller } from '../access/index.js';
import type { BudgetLedger, CallContext, DecodedCall, JsonDocument, JsonValue } from '../core/index.js';
import type { Hold, RememberedAnswer, SpendingCall, Rollback } from '../events/index.js';
import type { WeirError } from '../http/index.js';
import type { EarlierRequest, Judgement } from '../judgement/index.js';
import type { ActivePolicy } from '../policy-store/index.js';
import type { TextBody } from './body-pieces.js';
import type { RecordInFlight } from './call-pipeline.js';
import type { CallAnnotations } from './call-annotations.js';
import type { ProxyTarget } from './proxy-target.js';

/** The entry points for calls with a provider's own body: forwarded to the provider, or only judged. */
export type CallSurface = 'proxy' | 'calls';

/** A call whose request has been read. Nothing about it changes until its answer has been sent. */
export interface ProxiedCall {
  readonly surface: CallSurface;
  readonly caller: Caller;
  readonly target: ProxyTarget;
  /** The policy version that judges both the request and the answer. */
  readonly policy: ActivePolicy;
  /** The request id, in which findings are masked, because it appears in log lines. */
  readonly requestId: string;
  /** The unmasked request id, if the policy stores unmasked texts. */
  readonly storedRequestId?: string;
  /** The model's name as it is stored, if something in it had to be masked. */
  readonly storedModel?: string;
  readonly method: string;
  readonly annotations: CallAnnotations;
  /** The metadata as it is stored: JSON text, masked. */
  readonly storedMetadata?: string;
  /** The session id as it is stored, masked. */
  readonly storedSessionId?: string;
  readonly receivedAt: Date;
  /** Monotonic milliseconds at arrival. */
  readonly startedMs: number;
  /** Rolls back the counts for the call if it is refused for a reason other than its content. */
  readonly rollback: Rollback;
  /** Admits the next call; to be called when this one has been judged. */
  readonly leave: () => void;
  readonly request: DecodedCall;
  /** Absent when the body contains no readable text: then nothing in it is judged or stored. */
  readonly doc?: JsonDocument;
  /** The body itself when it is not one JSON text; `doc` contains its texts. */
  readonly textBody?: TextBody;
  /**
   * The body without its content coding; absent if it came without one. The provider receives these bytes and not the client's: those may
   * contain texts that no rule has read, such as comments of gzip, and servers that ignore the coding read other texts in them.
   */
  readonly plainBody?: Buffer;
  /** Set if the same call may be repeated. */
  readonly claim?: RequestClaim;
}

/** A call that may be forwarded to its provider. */
export interface AdmittedCall extends ProxiedCall {
  readonly judgement: Judgement;
  /** The service's own id of the `ai.request` event, and so of the call. */
  readonly id: string;
  /** The event's id: equal to `id`, unless the client has chosen another one. */
  readonly eventId: string;
  /** The used amounts of the policy's budgets when the call arrived. */
  readonly ledger: BudgetLedger;
  /** The reservation for its cost until it ends. */
  readonly hold: Hold;
  /** Set while the request is being stored: no part of an answer is forwarded before the request is in the log. */
  readonly inFlight?: RecordInFlight;
  /** For a call that another process admitted: the data about its request in the log. */
  readonly earlier?: EarlierRequest;
}

/** The data by which a repeated request receives the answer to the first one. */
export interface RequestClaim {
  /** The client's own id of the event; without it, the service creates one. */
  readonly eventId?: string;
  /** The fingerprint of all data that identifies the request. */
  readonly fingerprint: Buffer;
  /** The kept form of the answer to an admitted call. */
  granted(call: AdmittedCall): Promise<RememberedAnswer>;
  /** The kept form of the answer to a call that a rule refuses. @param id the service's own id of the event */
  refused(call: ProxiedCall, id: string, refusal: WeirError): RememberedAnswer;
}

/** The names that a model may be recorded under. */
const MODEL = /^[^\p{Cc}\p{Cs}]{1,256}$/u;

export function modelOf(call: DecodedCall): string | undefined {
  return call.model !== undefined && MODEL.test(call.model) ? call.model : undefined;
}

export function callContext({ caller, target, annotations, request }: ProxiedCall): CallContext {
  const model = modelOf(request);
  const metadata = annotations.metadata?.value as { readonly [key: string]: JsonValue } | undefined;
  return {
    environment: caller.environment,
    declaredEnvironment: caller.environment,
    app: { id: caller.appId, name: caller.appName },
    key: { id: caller.keyId, name: caller.keyName },
    provider: target.provider.id,
    ...(model === undefined ? {} : { model }),
    ...(annotations.sessionId === undefined ? {} : { sessionId: annotations.sessionId }),
    ...(annotations.sessionMissing === undefined ? {} : { sessionMissing: annotations.sessionMissing }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** The call in the form that budgets use. */
export function spendingCall(call: ProxiedCall): SpendingCall {
  const { surface, caller, receivedAt, policy, request, doc, requestId, target, method } = call;
  const { path, governed, provider, facts } = target;
  return {
    caller,
    source: surface,
    receivedAt,
    policy,
    context: callContext(call),
    call: request,
    ...(doc === undefined ? {} : { doc }),
    requestId: call.storedRequestId ?? requestId,
    route: { method, path, governed, baseUrl: provider.baseUrl, ...(facts.countsOnly && { countsOnly: true }) },
  };
}
