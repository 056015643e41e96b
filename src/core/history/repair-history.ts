import { refuses } from '../model/actions.js';
import type { DecodedCall, JsonValue, Segment, ToolCall, ToolResult } from '../model/call.js';
import type { FiredRule } from '../model/decision.js';
import type { LocatedFinding } from '../model/finding.js';
import type { OnBlockedHistory } from '../model/compiled-policy.js';
import { memoizeByObject } from '../model/memoize.js';
import type { Edit } from '../text/edit.js';
import type { Conversation, ConversationItem } from './conversation.js';

/** The type for repaired turns in the list of redactions of an answer. */
export const BLOCKED_HISTORY = 'blocked_history';
/** Replacement for a blocked text. */
export const BLOCKED_TEXT = '[removed by policy]';

/** A repaired request, without the earlier turns or texts for which it was blocked. */
export interface HistoryRepair {
  readonly mode: Exclude<OnBlockedHistory, 'refuse'>;
  /** For `drop`: indices of the removed items, ascending. */
  readonly dropped: readonly number[];
  /** For `replace`: the edits of texts, relative to the judged call. */
  readonly edits: readonly Edit[];
  /** Number of turns dropped or texts replaced. */
  readonly count: number;
  /** The repaired call, which has to be judged again. Its paths are those of the original request. */
  readonly call: DecodedCall;
  /** For each segment of the repaired call, its index in the judged call. */
  readonly segments: readonly number[];
}

/**
 * Repairs a blocked request: earlier turns with findings of the blocking rules are removed (`drop`), or their texts are replaced
 * (`replace`). A turn is a user's message and all items up to the next one; the last turn, items before the first one, and instructions
 * (system, developer) are never changed. The result must be judged again like any request.
 *
 * @returns undefined if there is nothing to repair, or if it would separate a tool call from its result
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

/** The findings that are evidence for the blocking rules. */
function blockingFindings(fired: readonly FiredRule[], findings: readonly LocatedFinding[]): LocatedFinding[] {
  const evidence = fired
    .filter((rule) => refuses(rule.action) && rule.enforced && !rule.unavailable)
    .flatMap((rule) => rule.evidence);
  return findings.filter(({ detector, code }) =>
    evidence.some((one) => one.detector === detector && (one.codes === 'all' || one.codes.includes(code))),
  );
}

/** The index of the conversation item that contains a text. */
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
  // A call under several names, and the calls within it, share their texts.
  const placesOf = memoizeByObject((own: readonly number[]) => own.flatMap((index) => places.get(index) ?? []));
  const move = <T extends ToolCall | ToolResult>(part: T): T => ({
    ...part,
    segments: placesOf(part.segments),
  });
  return {
    ...call,
    segments: kept.map((index) => call.segments[index]!),
    pastToolCalls: call.pastToolCalls.filter(({ path }) => keeps(path)).map(move),
    pastToolResults: call.pastToolResults.filter(({ path }) => keeps(path)).map(move),
  };
}

/** Whether tool calls and their results are still together: providers refuse a result without its call and a call without its result. */
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
  const isFound = new Set(found);
  // A call under several names, and the calls within it, share arguments and texts.
  const holdsFound = memoizeByObject((own: readonly number[]) => own.some((index) => isFound.has(index)));
  const valueOf = memoizeByObject((args: object) => replaced(args as JsonValue, old));
  const argsOf = (args: JsonValue): JsonValue =>
    typeof args === 'object' && args !== null ? valueOf(args) : replaced(args, old);
  return {
    mode: 'replace',
    dropped: [],
    edits,
    count: edits.length,
    call: {
      ...call,
      segments: call.segments.map((segment, index) =>
        isFound.has(index) ? { ...segment, text: BLOCKED_TEXT } : segment,
      ),
      pastToolCalls: call.pastToolCalls.map((past) =>
        past.args !== undefined && holdsFound(past.segments) ? { ...past, args: argsOf(past.args) } : past,
      ),
    },
    segments: call.segments.map((_, index) => index),
  };
}

/**
 * Only contents and arguments can be replaced. Names and keys cannot, instructions should not, and reasoning signed by its provider
 * becomes invalid if changed.
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
