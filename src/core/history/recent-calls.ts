import { SESSIONS } from '../model/session.js';

/** The tool calls that a session stores, for counting them. */
export interface RecentCalls {
  /** In the order in which they were stored. */
  readonly calls: readonly RecentCall[];
  /** For each tool of which calls were dropped, the newest of these calls: how many there were is unknown. */
  readonly dropped: readonly RecentCall[];
}

interface RecentCall {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

/** Stands for every tool in `RecentCalls.dropped`. */
const ANY_TOOL = '';
/** The number of calls that are stored in addition to the last `SESSIONS.maxRecentCalls`. */
const MAX_EARLIER = 256;

/**
 * Adds calls, and drops those that are older than a time. The last calls of all tools are kept and, of each tool, the last ones: many
 * calls of one tool do not displace the calls of another one.
 */
export function withCalls(
  { calls, dropped }: RecentCalls,
  added: readonly RecentCall[],
  oldestMs: number,
): RecentCalls {
  const isYoung = ({ atMs }: RecentCall): boolean => atMs > oldestMs;
  const all = [...calls, ...added].filter(isYoung);
  const known = dropped.filter(isYoung);
  return all.length <= SESSIONS.maxRecentCalls ? { calls: all, dropped: known } : cut(all, known);
}

function cut(all: readonly RecentCall[], known: readonly RecentCall[]): RecentCalls {
  const first = all.length - SESSIONS.maxRecentCalls;
  const last = all.slice(first);
  const counts = new Map<string, number>();
  for (const { name } of last) counts.set(name, (counts.get(name) ?? 0) + 1);
  // The indices of the earlier calls, by the number of later calls of the same tool, newest first. Beyond the number that is counted, a
  // call makes no difference.
  const byLater: number[][] = [];
  for (let index = first - 1; index >= 0; index--) {
    const { name } = all[index]!;
    const later = counts.get(name) ?? 0;
    counts.set(name, later + 1);
    if (later < SESSIONS.maxRecentCalls) (byLater[later] ??= []).push(index);
  }
  // The last earlier call of every tool comes first, then the last but one, and so on.
  const earlier = byLater.flat();
  const kept = earlier.slice(0, MAX_EARLIER).sort((a, b) => a - b);
  const callAt = (index: number): RecentCall => all[index]!;
  const calls = [...kept.map(callAt), ...last];
  return { calls, dropped: newestOf([...known, ...earlier.slice(MAX_EARLIER).map(callAt)], calls) };
}

/** The newest dropped call of each tool. Tools of which no call is stored have a common entry, so there are few entries. */
function newestOf(dropped: readonly RecentCall[], calls: readonly RecentCall[]): RecentCall[] {
  const stored = new Set(calls.map(({ name }) => name));
  const newest = new Map<string, number>();
  for (const { name, atMs } of dropped) {
    const tool = stored.has(name) ? name : ANY_TOOL;
    newest.set(tool, Math.max(newest.get(tool) ?? atMs, atMs));
  }
  return [...newest].map(([name, atMs]) => ({ name, atMs }));
}

/** The number of stored calls after a time. @param tool its normal form; undefined: the calls of all tools */
export function countAfter({ calls }: RecentCalls, sinceMs: number, tool: string | undefined): number {
  return calls.filter(({ name, atMs }) => atMs > sinceMs && (tool === undefined || name === tool)).length;
}

/** Whether a call of the tool after this time may have been dropped. */
export function mayHaveDropped({ dropped }: RecentCalls, sinceMs: number, tool: string): boolean {
  return dropped.some(({ name, atMs }) => atMs > sinceMs && (name === tool || name === ANY_TOOL));
}

/**
 * The dropped calls in a state that does not name them. An earlier version wrote it, or a replica that still runs it: if it is full,
 * any call before the first stored one may have been dropped.
 */
export function droppedBefore(calls: readonly RecentCall[]): RecentCall[] {
  const [first] = calls;
  return first === undefined || calls.length < SESSIONS.maxRecentCalls ? [] : [{ name: ANY_TOOL, atMs: first.atMs }];
}

/** Whether a state has to name its dropped calls, so that it is not read like one of an earlier version. */
export function namesDropped({ calls, dropped }: RecentCalls): boolean {
  return dropped.length > 0 || calls.length >= SESSIONS.maxRecentCalls;
}
