import { refuses } from '../model/actions.js';
import type { BoundDetector } from '../detection/bind.js';
import { engineLeaves, factsOfLeaf, type EngineLeaf } from '../policy/engine-rules.js';
import type { CompiledPolicy, CompiledRule } from '../model/compiled-policy.js';
import { isSameThroughout, onceTrueStays } from './stream-invariant-facts.js';

/** How the tool calls of a streamed answer are forwarded. */
export interface ToolPlan {
  /**
   * - `stream`: arguments are forwarded while they arrive, except for their end, which waits for the verdict.
   * - `whole`: a call is forwarded as a whole, because its masks are not known before it is complete.
   * - `together`: rules compare the calls of an answer, so none is forwarded before the last one is complete.
   */
  readonly mode: 'stream' | 'whole' | 'together';
  /** By detector key, the codes that rules of stage `tool` mask; these rules are evaluated when a call is complete. */
  readonly masked: ReadonlyMap<string, ReadonlySet<string>>;
  /** Rules that can refuse a call before its arguments are known. */
  readonly early: ReadonlySet<string>;
}

/** The plan if no rule can change or refuse a call. */
export const FREE_TOOLS: ToolPlan = { mode: 'stream', masked: new Map(), early: new Set() };
/** Facts about several calls of an answer: about all of them, or about those before a call. */
const OF_ALL_CALLS = new Set(['tool_calls', 'tool_calls_count', 'flow', 'recent']);

/**
 * Derives from a policy how tool calls can be streamed.
 * @param rules the rules of stage `tool` that can change or refuse a call
 */
export function planTools(
  policy: CompiledPolicy,
  detectors: readonly BoundDetector[],
  rules: readonly CompiledRule[],
): ToolPlan {
  if (rules.length === 0) return FREE_TOOLS;
  const { asWritten, exceptions } = policy.stages.tool;
  const leavesOf = new Map(asWritten.map(({ name, conditions }) => [name ?? '', engineLeaves(conditions)]));
  const softening = exceptions.flatMap(({ conditions }) => engineLeaves(conditions));
  const all = [...rules.flatMap(({ id }) => leavesOf.get(id) ?? []), ...softening];
  const masked = new Map<string, Set<string>>();
  for (const { detector, code } of rules.flatMap(({ redact }) => redact?.targets ?? [])) {
    masked.set(detector, (masked.get(detector) ?? new Set()).add(code));
  }
  const streamed = new Set(detectors.filter(({ stream }) => stream !== undefined).map(({ binding }) => binding.key));
  const keys = new Set(detectors.map(({ binding }) => binding.key));
  const isEarly = (leaf: EngineLeaf): boolean => isSteady(leaf) || onceTrueStays(leaf, keys);
  const early = softening.every(isSteady)
    ? rules.filter(({ id, action }) => refuses(action) && leavesOf.get(id)?.every(isEarly) === true)
    : [];
  return {
    mode: all.flatMap(factsOfLeaf).some(({ fact }) => OF_ALL_CALLS.has(fact))
      ? 'together'
      : [...masked.keys()].every((key) => streamed.has(key))
        ? 'stream'
        : 'whole',
    masked,
    early: new Set(early.map(({ id }) => id)),
  };
}

function isSteady(leaf: EngineLeaf): boolean {
  return factsOfLeaf(leaf).every((each) => isSameThroughout(each) || (each.fact === 'tool' && each.path === 'name'));
}
