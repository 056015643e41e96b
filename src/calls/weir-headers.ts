import { strengthOf, type DecisionAction, type RedactionCount } from '../core/index.js';
import type { ActivePolicy } from '../policy-store/index.js';
import type { ProxiedCall } from './proxied-call.js';

export interface WeirHeaderParts {
  readonly eventId: string;
  readonly policy: ActivePolicy;
  readonly decision: DecisionAction;
  readonly redactions: readonly RedactionCount[];
  /** Milliseconds that Weir took, excluding the provider's time. */
  readonly overheadMs: number;
}

/** The headers of a proxied answer about its judgement. */
export function weirHeaders({
  eventId,
  policy,
  decision,
  redactions,
  overheadMs,
}: WeirHeaderParts): Record<string, string> {
  return {
    'x-weir-event-id': eventId,
    'x-weir-decision': decision,
    'x-weir-policy': policy.digest,
    'x-weir-overhead-ms': overheadMs.toFixed(1),
    ...(redactions.length === 0 ? {} : { 'x-weir-redactions': redactionList(redactions) }),
  };
}

/** The headers of a refusal that is in the log. */
export function refusalHeaders(call: ProxiedCall, id: string, eventId: string): Record<string, string> {
  const overheadMs = performance.now() - call.startedMs;
  const common = weirHeaders({ eventId, policy: call.policy, decision: 'block', redactions: [], overheadMs });
  return call.surface === 'calls' ? { ...common, ...callHeaders(call, id) } : common;
}

/** The headers of `/v1/calls` with the call's id, and whether its route is governed. */
export function callHeaders({ target }: Pick<ProxiedCall, 'target'>, id: string): Record<string, string> {
  return { 'x-weir-call': id, 'x-weir-governed': String(target.governed) };
}

/** `EMAIL=2,IBAN=1`; characters of a label that a header cannot contain become `_`. */
function redactionList(redactions: readonly RedactionCount[]): string {
  return redactions.map(({ type, count }) => `${type.replace(/[^\w.-]/g, '_')}=${count}`).join(',');
}

/** The stronger of two decisions about one call: block, then redact, then allow. */
export function strongerDecision(left: DecisionAction, right: DecisionAction): DecisionAction {
  return strengthOf(left) > strengthOf(right) ? left : right;
}

/** Adds up the counts of each type. */
export function joinRedactions(left: readonly RedactionCount[], right: readonly RedactionCount[]): RedactionCount[] {
  const counts = new Map<string, number>();
  for (const { type, count } of [...left, ...right]) counts.set(type, (counts.get(type) ?? 0) + count);
  return [...counts].map(([type, count]) => ({ type, count }));
}
