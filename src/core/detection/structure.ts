import type { z } from 'zod';
import type { DecodedCall, ToolCall } from '../call/call.js';
import type { FactDefinition, FactSet } from '../facts/fact.js';

/** What a structure plugin is told beside the call itself. */
export interface StructureContext {
  /** At stage `tool`: the one call that is being judged. */
  readonly toolCall?: ToolCall;
  /** For an answer: the request it belongs to, when it is known. */
  readonly request?: DecodedCall;
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
  read(call: DecodedCall, context: StructureContext, options: Options): FactSet;
}
