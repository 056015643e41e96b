import { refuses } from '../model/actions.js';
import type { DecodedCall, JsonValue, Segment, ToolCall, ToolResult } from '../model/call.js';
import type { FiredRule } from '../model/decision.js';
import type { LocatedFinding } from '../model/finding.js';
import type { OnBlockedHistory } from '../model/compiled-policy.js';
import type { Edit } from '../text/edit.js';
import type { Conversation, ConversationItem } from './conversation.js';

/** The type under which repaired turns count among an answer's redactions. */
export const BLOCKED_HISTORY = 'blocked_history';
/** What stands in place of a text that was blocked. */
export const BLOCKED_TEXT = '[removed by policy]';

/** A request without the earlier turns that it was blocked for. */
export interface HistoryRepair {
  readonly mode: Exclude<OnBlockedHistory, 'refuse'>;
  /** `drop`: the items that are taken out, ascending. */
  readonly dropped: readonly number[];
  /** `replace`: the texts that are replaced, as edits of the call that was judged. */
  readonly edits: readonly Edit[];
  /** How many turns are dropped, or texts replaced. */
  readonly count: number;
  /** The call as it would go on, to be judged again. Paths are those of the request as it came. */
  readonly call: DecodedCall;
  /** For each segment of that call, its index in the call that was judged. */
  readonly segments: readonly number[];
}

/**
 * What is left of a blocked request when the earlier turns in which the blocking rules found something are taken out
 * (`drop`) or their texts are replaced (`replace`). A turn is a user's message with all that follows it up to the next
 * one; the last turn, what stands before the first, and instructions (system, developer) are never touched. Whether what is left may pass is not said
 * here: it has to be judged like any request.
 *
 * @returns undefined where there is nothing to take out, or taking it out would part a tool call from its result
 */
export function repairHistory(
  mode: HistoryRepair['mode'],
  call: DecodedCall,
  conversation: Conversation,
  fired: readonly FiredRule[],
  findings: readonly LocatedFinding[],
): HistoryRepair | undefined {
  const { items } = conversation;
  const lastTurn = items.findLastIndex(({ startsTurn }) => startsTurn);
  const speaking = blockingFindings(fired, findings).filter(({ segment }) => {
    const item = itemOf(call.segments[segment]!.path, conversation);
    return item !== undefined && item < lastTurn;
  });
  const repair = mode === 'drop' ? dropTurns(call, conversation, speaking) : replaceTexts(call, conversation, speaking);
  return repair === undefined || repair.count === 0 ? undefined : repair;
}

/** The findings that speak for the rules that block. */
function blockingFindings(fired: readonly FiredRule[], findings: readonly LocatedFinding[]): LocatedFinding[] {
  const evidence = fired
    .filter((rule) => refuses(rule.action) && rule.enforced && !rule.unavailable)
    .flatMap((rule) => rule.evidence);
  return findings.filter(({ detector, code }) =>
    evidence.some((one) => one.detector === detector && (one.codes === 'all' || one.codes.includes(code))),
  );
}

/** The index of the item that a text belongs to. */
function itemOf(path: string, { list }: Conversation): number | undefined {
  const match = /^([a-z]+)\[(\d+)\]/.exec(path);
  return match?.[1] === list ? Number(match[2]) : undefined;
}

function dropTurns(
  call: DecodedCall,
  conversation: Conversation,
  findings: readonly LocatedFinding[],
): HistoryRepair | undefined {
  const { items } = conversation;
  const turns = new Set<number>();
  for (const { segment } of findings) {
    const item = itemOf(call.segments[segment]!.path, conversation)!;
    const start = items.findLastIndex(({ startsTurn }, index) => startsTurn && index <= item);
    if (start >= 0) turns.add(start);
  }
  const dropped = new Set<number>();
  for (const start of turns) {
    for (let item = start; item === start || items[item]?.startsTurn === false; item++) {
      if (!isInstruction(items[item])) dropped.add(item);
    }
  }
  const kept = (path: string): boolean => {
    const item = itemOf(path, conversation);
    return item === undefined || !dropped.has(item);
  };
  const segments = call.segments.flatMap(({ path }, index) => (kept(path) ? [index] : []));
  const rest = withoutSegments(call, segments, kept);
  if (!keepsPairs(call, rest)) return undefined;
  return {
    mode: 'drop',
    dropped: [...dropped].sort((a, b) => a - b),
    edits: [],
    count: turns.size,
    call: rest,
    segments,
  };
}

function isInstruction(item: ConversationItem | undefined): boolean {
  return item?.role === 'system' || item?.role === 'developer';
}

function withoutSegments(call: DecodedCall, kept: readonly number[], keeps: (path: string) => boolean): DecodedCall {
  const places = new Map(kept.map((index, place) => [index, place]));
  const move = <T extends ToolCall | ToolResult>(part: T): T => ({
    ...part,
    segments: part.segments.flatMap((index) => places.get(index) ?? []),
  });
  return {
    ...call,
    segments: kept.map((index) => call.segments[index]!),
    pastToolCalls: call.pastToolCalls.filter(({ path }) => keeps(path)).map(move),
    pastToolResults: call.pastToolResults.filter(({ path }) => keeps(path)).map(move),
  };
}

/** Providers refuse a result without its call, and a call that has lost its result. */
function keepsPairs(before: DecodedCall, after: DecodedCall): boolean {
  const pairs = ({ pastToolCalls, pastToolResults }: DecodedCall): { calls: Set<string>; results: Set<string> } => ({
    calls: new Set(pastToolCalls.flatMap(({ id }) => id ?? [])),
    results: new Set(pastToolResults.flatMap(({ callId }) => callId ?? [])),
  });
  const [old, left] = [pairs(before), pairs(after)];
  return (
    [...left.results].every((id) => left.calls.has(id) || !old.calls.has(id)) &&
    [...left.calls].every((id) => left.results.has(id) || !old.results.has(id))
  );
}

function replaceTexts(
  call: DecodedCall,
  conversation: Conversation,
  findings: readonly LocatedFinding[],
): HistoryRepair | undefined {
  const found = [...new Set(findings.map(({ segment }) => segment))].sort((a, b) => a - b);
  if (!found.every((index) => isReplaceable(call.segments[index]!, conversation))) return undefined;
  const edits = found.map((segment) => ({
    segment,
    start: 0,
    end: call.segments[segment]!.text.length,
    replacement: BLOCKED_TEXT,
  }));
  const old = new Set(found.map((index) => call.segments[index]!.text));
  return {
    mode: 'replace',
    dropped: [],
    edits,
    count: edits.length,
    call: {
      ...call,
      segments: call.segments.map((segment, index) =>
        found.includes(index) ? { ...segment, text: BLOCKED_TEXT } : segment,
      ),
      pastToolCalls: call.pastToolCalls.map((past) =>
        past.args !== undefined && past.segments.some((index) => found.includes(index))
          ? { ...past, args: replaced(past.args, old) }
          : past,
      ),
    },
    segments: call.segments.map((_, index) => index),
  };
}

/**
 * Contents and arguments can say something else. Names and keys cannot, instructions should not, and a reasoning that
 * its provider has signed is worth nothing when it is changed.
 */
function isReplaceable({ role, key, path }: Segment, conversation: Conversation): boolean {
  const item = conversation.items[itemOf(path, conversation) ?? -1];
  if (isInstruction(item) || role === 'system' || role === 'reasoning') return false;
  return key !== undefined && key !== 'name';
}

function replaced(value: JsonValue, old: ReadonlySet<string>): JsonValue {
  if (typeof value === 'string') return old.has(value) ? BLOCKED_TEXT : value;
  if (Array.isArray(value)) return value.map((item: JsonValue) => replaced(item, old));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, JsonValue]) => [key, replaced(item, old)]),
  );
}
