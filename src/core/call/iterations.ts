import { isArray, memberOf, stringOf, type JsonNode } from '../json/json-node.js';

/** The entries that the model of the call wrote; all others can have a model of their own. */
const OF_THE_MODEL: ReadonlySet<string> = new Set(['message', 'compaction']);

/** The samplings of one call, each with its own counts. */
export interface Iterations {
  readonly entries: readonly JsonNode[];
  /** Whether another model wrote one of them, for its own price. */
  readonly ofOthers: boolean;
}

/**
 * Anthropic's `usage.iterations`. All entries are billed, while `usage` itself counts only some of them. A compaction of the conversation is
 * written by the call's own model; advisors and fallbacks are other models
 * (https://platform.claude.com/docs/en/build-with-claude/compaction-threshold).
 */
export function iterationsOf(usage: JsonNode | undefined): Iterations {
  const list = memberOf(usage, 'iterations');
  const entries = isArray(list) ? list.items : [];
  const models = new Set(entries.flatMap((entry) => stringOf(entry, 'model') ?? []));
  const isOther = (entry: JsonNode): boolean => !OF_THE_MODEL.has(stringOf(entry, 'type') ?? '');
  return { entries, ofOthers: models.size > 1 || entries.some(isOther) };
}
