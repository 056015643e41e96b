import type { z } from 'zod';
import type { DecodedCall, ToolCall } from '../model/call.js';
import type { FactDefinition, FactSet, FactValue, Unknown } from '../model/fact.js';
import type { SessionAdditions, SessionHistory } from '../model/session.js';

/** The input of a structure plugin in addition to the call itself. */
export interface StructureContext {
  /** At stage `tool`: the judged tool call. */
  readonly toolCall?: ToolCall;
  /** For an answer: its request, if known. */
  readonly request?: DecodedCall;
  /** The earlier steps of the call's session, or why they are unknown; absent if they were not requested. */
  readonly session?: SessionHistory | Unknown;
  /** Caches results that do not depend on the tool call while one answer is judged; absent without a cache. */
  readonly once?: Once;
}

/** Returns the cached value of this name; creates it on the first call. */
export type Once = <T>(name: string, make: () => T) => T;

/** A cache for the judgement of one answer and its request. */
export function rememberOnce(): Once {
  const known = new Map<string, unknown>();
  return <T>(name: string, make: () => T): T => {
    if (!known.has(name)) known.set(name, make());
    return known.get(name) as T;
  };
}

/**
 * The second kind of plugin: it reads the decoded call (tool names, arguments, history), not a text, and derives facts. Pure and
 * synchronous; if it throws, its facts are unknown.
 */
export interface StructurePlugin<Options = unknown> {
  readonly kind: 'structure';
  readonly meta: {
    readonly id: string;
    readonly version: string;
    readonly revision: number;
    readonly summary: `Reads ${string}.`;
    readonly options: z.ZodType<Options>;
  };
  /** Every fact that `read` can return, for the registry. Root names must be unique among all plugins. */
  readonly facts: readonly FactDefinition[];
  /** Facts that are fully determined by another fact, so generated calls must not choose them independently. */
  readonly follows?: readonly DeterminedFact<Options>[];
  read(call: DecodedCall, context: StructureContext, options: Options): FactSet;
  /** The data that a session stores about a forwarded call, for later facts marked `ofSession`. */
  remembered?(call: DecodedCall): SessionAdditions;
}

/** A fact that is determined by the text of another one, as `tool.effect` is by `tool.name`. */
export interface DeterminedFact<Options> {
  readonly fact: string;
  readonly from: string;
  of(text: string, options: Options): FactValue;
  /** Texts that together lead to every possible value. */
  examples(options: Options): readonly string[];
}
