import type { DecodedCall, FactDefinition, FactSet, FactValue } from '../../src/core/plugin-api.js';
import { SESSIONS, toolNameForm, Unknown, withToolsNamed } from '../../src/core/plugin-api.js';
import { toolEvents, type Session, type ToolEvent } from './history.js';
import { namedIn } from './provenance.js';

const MINUTE_MS = 60_000;
/** Time windows by the suffixes of the facts' names. */
const WINDOWS = { '1m': MINUTE_MS, '5m': 5 * MINUTE_MS, '1h': 60 * MINUTE_MS, '24h': 1_440 * MINUTE_MS } as const;
const SPOKEN = { '1m': 'minute', '5m': 'five minutes', '1h': 'hour', '24h': '24 hours' } as const;
const WINDOW_NAMES = Object.keys(WINDOWS) as readonly (keyof typeof WINDOWS)[];

/** Facts with the numbers of recent tool calls in the session. */
export const RECENT_FACTS: readonly FactDefinition[] = WINDOW_NAMES.flatMap((window): FactDefinition[] => {
  const shared = {
    type: 'integer',
    stages: ['tool'],
    unit: 'items',
    range: { min: 0, max: SESSIONS.maxRecentCalls },
    optional: false,
    clientControlled: false,
    ofSession: true,
  } as const;
  return [
    {
      ...shared,
      name: `recent.tool_calls_${window}`,
      summary: `Number of tool calls of the session that were allowed in the ${SPOKEN[window]} before this call.`,
    },
    {
      ...shared,
      name: `recent.same_tool_calls_${window}`,
      summary: `Number of calls of the same tool in the session that were allowed in the ${SPOKEN[window]} before this call.`,
      invariants: [`recent.same_tool_calls_${window} <= recent.tool_calls_${window}`],
    },
  ];
});

/**
 * @param tool name of the tool to be called
 * @param now names of the tools that the same answer calls before it
 */
export function recentFacts(session: Session, tool: string | undefined, now: readonly string[]): FactValue {
  if (session instanceof Unknown) return session;
  const form = tool === undefined ? undefined : toolNameForm(tool);
  const same = now.filter((name) => toolNameForm(name) === form);
  const counted = (count: number): number => Math.min(count, SESSIONS.maxRecentCalls);
  const sameCalls = (windowMs: number): FactValue => {
    if (tool === undefined) return 0;
    const count = counted(session.callsWithin(windowMs, tool) + same.length);
    const isSure = count === SESSIONS.maxRecentCalls || !session.mayHaveMoreCalls(windowMs, tool);
    return isSure ? count : Unknown.atLeast(SESSIONS.tooLong, count);
  };
  return Object.fromEntries(
    WINDOW_NAMES.flatMap((window) => [
      [`tool_calls_${window}`, counted(session.callsWithin(WINDOWS[window]) + now.length)],
      [`same_tool_calls_${window}`, sameCalls(WINDOWS[window])],
    ]),
  ) satisfies FactSet;
}

/** Events before the call: first the earlier steps of the session, then those of the call's conversation. */
export function eventsBefore(conversation: readonly ToolEvent[] | undefined, session: Session) {
  const earlier = session instanceof Unknown ? [] : session.steps;
  return withToolsNamed([...earlier, ...(conversation ?? [])]).map(({ kind, name }, index) => ({ kind, name, index }));
}

/**
 * `rest` is set if further events may have happened. A conversation sent with the call is complete, unless the call belongs to a
 * session that is unavailable or truncated.
 */
export function restOf(hasConversation: boolean, session: Session): { readonly rest?: Unknown } {
  if (session instanceof Unknown)
    return hasConversation && session.source === SESSIONS.unnamed ? {} : { rest: session };
  return session.isCut ? { rest: new Unknown('unavailable', SESSIONS.tooLong) } : {};
}

/** The data to store in the session: past steps from a request, or new calls from an answer. */
export function rememberedOf(call: DecodedCall) {
  const calls = call.newToolCalls.map(({ name }) => name);
  return {
    steps: [
      ...toolEvents(call).map(({ kind, name }) => ({ kind, name })),
      ...calls.map((name) => ({ kind: 'tool_call' as const, name })),
    ],
    calls,
    named: namedIn(call),
  };
}
