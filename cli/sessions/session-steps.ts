import { placeOf, type SessionCall } from './session-client.js';

/** A call of a session, and the number of calls above it. */
interface SessionStep {
  readonly call: SessionCall;
  readonly depth: number;
}

/**
 * The calls of a session in order, each followed by the calls below it: those that name it in `parent_id`. A tool call without a known
 * parent is below the last request before it in the same app and environment.
 *
 * @param calls the oldest first
 */
export function sessionSteps(calls: readonly SessionCall[]): SessionStep[] {
  const below = new Map<string | null, SessionCall[]>();
  const known = new Set<string>();
  const lastRequests = new Map<string, string>();
  for (const call of calls) {
    const named = call.parent_id !== null && known.has(call.parent_id) ? call.parent_id : null;
    const parent = named ?? (call.type === 'agent.tool_call' ? (lastRequests.get(placeOf(call)) ?? null) : null);
    const others = below.get(parent);
    if (others === undefined) below.set(parent, [call]);
    else others.push(call);
    known.add(call.id);
    if (call.type === 'ai.request') lastRequests.set(placeOf(call), call.id);
  }
  const steps: SessionStep[] = [];
  // A stack instead of recursion: a chain of calls may be as deep as the session is long.
  const open = (below.get(null) ?? []).toReversed().map((call) => ({ call, depth: 0 }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { call, depth } = next;
    steps.push(next);
    open.push(...(below.get(call.id) ?? []).toReversed().map((each) => ({ call: each, depth: depth + 1 })));
  }
  return steps;
}
