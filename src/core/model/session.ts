/** One step of a session: a tool was called, or returned a result. */
export interface SessionStep {
  readonly kind: 'tool_call' | 'tool_result';
  readonly name: string;
}

/** The earlier steps in the session of a call, whichever request or event reported them. */
export interface SessionHistory {
  /** Each step once, in the order in which it was first reported. */
  readonly steps: readonly SessionStep[];
  /** The stored history is incomplete: a step may have happened, or an address may have been named, without being in it. */
  readonly isCut: boolean;
  /** Whether the person or the operator named an address, in the form that `SessionAdditions.named` has. */
  hasNamed(address: string): boolean;
  /**
   * The number of allowed tool calls in this time before the call, at most `SESSIONS.maxRecentCalls`.
   *
   * @param tool counts only calls of this tool, by the normal form of its name
   */
  callsWithin(windowMs: number, tool?: string): number;
  /**
   * Whether more calls of the tool may have been allowed in this time than `callsWithin` counts, because the session does not store
   * every call. A count of `SESSIONS.maxRecentCalls` cannot become greater.
   */
  mayHaveMoreCalls(windowMs: number, tool: string): boolean;
}

/** The data that a session stores about a forwarded call. */
export interface SessionAdditions {
  readonly steps: readonly SessionStep[];
  /** Names of the tools that are called now: they are counted. */
  readonly calls: readonly string[];
  /** Addresses that the person or the operator named. */
  readonly named: readonly string[];
}

/**
 * Adds missing tool names to steps. A request that continues an answer stored at the provider contains results without their calls: such a
 * result counts as a result of each tool that was called before it and has not returned a result since.
 */
export function withToolsNamed<Step extends SessionStep>(steps: readonly Step[]): Step[] {
  const called = new Set<string>();
  return steps.flatMap((step) => {
    if (step.kind === 'tool_call') called.add(step.name);
    if (step.kind === 'tool_call' || step.name !== '' || called.size === 0) return [step];
    const named = [...called].map((name) => ({ ...step, name }));
    called.clear();
    return named;
  });
}

/** The limit of a session, and the sources named for facts that are unknown because history is missing; a retry cannot help. */
export const SESSIONS = {
  /** Maximum number of recent tool calls that are counted. */
  maxRecentCalls: 256,
  /** The missing source if a call names no session. */
  unnamed: 'session_id',
  /** The missing source if a call continues from an answer that Weir does not know. */
  unknownAnswer: 'previous_response_id',
  /** The missing source if more happened in a session than is stored. */
  tooLong: 'session_length',
} as const;
