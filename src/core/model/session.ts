/** One step of a session: a tool was called, or returned a result. */
export interface SessionStep {
  readonly kind: 'tool_call' | 'tool_result';
  readonly name: string;
}

/** What happened earlier in the session of a call, whatever request or event told of it. */
export interface SessionHistory {
  /** Each thing once, in the order in which it was first told. */
  readonly steps: readonly SessionStep[];
  /** More happened than is kept: what is not among `steps`, or was not named, may have been all the same. */
  readonly isCut: boolean;
  /** Whether the person or the operator named an address, in the form that `SessionAdditions.named` has. */
  hasNamed(address: string): boolean;
  /**
   * How many tool calls were let through in the time before this call, up to `SESSIONS.maxRecentCalls`.
   *
   * @param tool calls of this tool alone, by the normal form of its name
   */
  callsWithin(windowMs: number, tool?: string): number;
}

/** What a session is to remember of a call that goes on. */
export interface SessionAdditions {
  readonly steps: readonly SessionStep[];
  /** Names of the tools that are called now: they are counted. */
  readonly calls: readonly string[];
  /** Addresses that the person or the operator named. */
  readonly named: readonly string[];
}

/**
 * Steps with the names of their tools. Requests that go on from what their provider has stored bring results without the
 * calls: such a result counts as one of each tool that was called before it and has given none since.
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

/** Where sessions end, and what is missing behind that: asking again cannot help. */
export const SESSIONS = {
  /** How many of the last tool calls are counted. */
  maxRecentCalls: 256,
  /** What is missing where a call names no session. */
  unnamed: 'session_id',
  /** What is missing where a call goes on from an answer that is not known here. */
  unknownAnswer: 'previous_response_id',
  /** What is missing where more happened in a session than is kept of it. */
  tooLong: 'session_length',
} as const;
