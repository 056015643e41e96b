import type { z } from 'zod';
import type { DecodedCall, ToolCall } from '../model/call.js';
import type { FactDefinition, FactSet, FactValue, Unknown } from '../model/fact.js';
import type { SessionAdditions, SessionHistory } from '../model/session.js';

/** The input of a structure plugin in addition to the call itself. */
export interface StructureContext {
  /** At stage `tool`: the one call that is being judged. */
  readonly toolCall?: ToolCall;
  /** For an answer: the request it belongs to, when it is known. */
  readonly request?: DecodedCall;
  /** What happened earlier in the session of the call, or why nobody knows; absent where nobody was asked. */
  readonly session?: SessionHistory | Unknown;
  /** Remembers, while one answer is judged, what does not depend on the tool call; absent where nothing is remembered. */
  readonly once?: Once;
}

/** The value that was made first under this name. */
export type Once = <T>(name: string, make: () => T) => T;

/** A memory for the judgement of one answer and its request. */
export function rememberOnce(): Once {
  const known = new Map<string, unknown>();
  return <T>(name: string, make: () => T): T => {
    if (!known.has(name)) known.set(name, make());
    return known.get(name) as T;
  };
}

/**
 * The second kind of plugin: it reads the decoded call (tool names, arguments, history), not a text, and answers with
 * facts. Pure and synchronous; a throw makes its facts unknown.
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
  /** Every fact that `read` can give, for the registry. Root names must be unique over all plugins. */
  readonly facts: readonly FactDefinition[];
  /** Facts that another one decides alone: whoever makes up calls must not choose them apart. */
  readonly follows?: readonly FollowingFact<Options>[];
  read(call: DecodedCall, context: StructureContext, options: Options): FactSet;
  /** What the session of a call that goes on is to remember of it; facts that are `ofSession` read it later. */
  remembered?(call: DecodedCall): SessionAdditions;
}

/** A fact that the text of another one decides, as `tool.name` does `tool.effect`. */
export interface FollowingFact<Options> {
  readonly fact: string;
  readonly from: string;
  of(text: string, options: Options): FactValue;
  /** Texts of which each value that there can be is the answer to one. */
  examples(options: Options): readonly string[];
}
