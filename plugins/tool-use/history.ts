import type { DecodedCall, FactValue, JsonValue, StructureContext, ToolCall } from '../../src/core/plugin-api.js';
import { toolNameForm, Unknown } from '../../src/core/plugin-api.js';

/** Earlier steps of the session, or the reason why they are unknown. */
export type Session = NonNullable<StructureContext['session']>;

/** One step of a conversation, in the order in which it happened. */
export interface ToolEvent {
  readonly kind: 'tool_call' | 'tool_result';
  readonly name: string;
  readonly index: number;
}

/** The tool calls and results of a conversation in one order. Names of results are looked up by the ids of their calls. */
export function toolEvents(conversation: DecodedCall): ToolEvent[] {
  const nameById = new Map<string, string>();
  for (const call of conversation.pastToolCalls) if (call.id !== undefined) nameById.set(call.id, call.name);
  const steps = [
    ...conversation.pastToolCalls.map((call) => ({ kind: 'tool_call' as const, name: call.name, path: call.path })),
    ...conversation.pastToolResults.map((result) => ({
      kind: 'tool_result' as const,
      name: result.name ?? (result.callId === undefined ? undefined : nameById.get(result.callId)) ?? '',
      path: result.path,
    })),
  ];
  steps.sort((a, b) => comparePaths(a.path, b.path));
  return steps.map(({ kind, name }, index) => ({ kind, name, index }));
}

/** Compares two JSON paths by position: `messages[9]` comes before `messages[10].tool_calls[0]`. */
export function comparePaths(a: string, b: string): number {
  if (a === b) return 0;
  const left = a.match(/\d{1,15}|[^\d[\].]{1,256}/g) ?? [];
  const right = b.match(/\d{1,15}|[^\d[\].]{1,256}/g) ?? [];
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const one = left[index]!;
    const other = right[index]!;
    if (one === other) continue;
    const numbers = Number(one) - Number(other);
    if (!Number.isNaN(numbers)) return numbers;
    return one < other ? -1 : 1;
  }
  return left.length - right.length;
}

/** A tool call as a fact for rules. Arguments that are not valid JSON cannot be judged, so they are unknown, not absent. */
export function asFact(call: ToolCall, index: number): FactValue {
  return { name: call.name, args: argsFact(call.args), index };
}

export function argsFact(args: JsonValue | undefined): FactValue {
  return args === undefined ? new Unknown('unavailable', 'tool-use') : args;
}

/** How often a conversation contains each call: by its arguments in written form, and by its name in normal form. */
type CallCounts = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Number of identical earlier calls in the conversation, which reveals loops. */
export function repeats({ name, args }: ToolCall, counts: CallCounts): number {
  return counts.get(stable(args))?.get(toolNameForm(name)) ?? 0;
}

/** Number of occurrences of each call in a conversation, for `repeats`. */
export function callCounts(conversation: DecodedCall): CallCounts {
  const counts = new Map<string, Map<string, number>>();
  // A call under several names is several calls that share their arguments, which are written once.
  let last: { readonly args: JsonValue | undefined; readonly written: string } | undefined;
  for (const { name, args } of conversation.pastToolCalls) {
    if (last === undefined || last.args !== args) last = { args, written: stable(args) };
    const byName = counts.get(last.written) ?? new Map<string, number>();
    counts.set(last.written, byName);
    const form = toolNameForm(name);
    byName.set(form, (byName.get(form) ?? 0) + 1);
  }
  return counts;
}

function stable(value: JsonValue | undefined): string {
  return (
    JSON.stringify(value, (_key, node: unknown) =>
      node !== null && typeof node === 'object' && !Array.isArray(node)
        ? Object.fromEntries(Object.entries(node).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
        : node,
    ) ?? ''
  );
}
