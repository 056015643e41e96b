import { toolNameForm } from '../call/tool-name.js';
import {
  SESSIONS,
  withToolsNamed,
  type SessionAdditions,
  type SessionHistory,
  type SessionStep,
} from '../model/session.js';

/** The stored state of a session: names and times of tool calls, and fingerprints of addresses; no text. */
export interface SessionState {
  readonly steps: readonly SessionStep[];
  readonly calls: readonly RecentCall[];
  readonly named: readonly string[];
  readonly isCut: boolean;
}

interface RecentCall {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

/** The state of a new session. */
export const NEW_SESSION: SessionState = { steps: [], calls: [], named: [], isCut: false };

/** Lifetime after the last call. After that a session starts with an empty state. */
export const SESSION_LIFE_MS = 24 * 3_600_000;

const MAX_STEPS = 256;
const MAX_NAMED = 1_024;
const MAX_NAME_LENGTH = 128;

/**
 * The state after one more call. Entries over the limits are dropped, and `isCut` then stays set for the session's lifetime. The first
 * entries are kept, so that many calls cannot displace them.
 */
export function afterCall(state: SessionState, added: SessionAdditions, atMs: number): SessionState {
  const told = added.steps.map(({ kind, name }) => ({ kind, name: shortName(name) }));
  const steps = joined(state.steps, withToolsNamed([...state.steps, ...told]), stepKey, MAX_STEPS);
  const named = joined(state.named, added.named, (name) => name, MAX_NAMED);
  const isLong = added.steps.some(({ name }) => name.length > MAX_NAME_LENGTH);
  const calls = [...state.calls, ...added.calls.map((name) => ({ name: shortName(toolNameForm(name)), atMs }))]
    .filter((call) => call.atMs > atMs - SESSION_LIFE_MS)
    .slice(-SESSIONS.maxRecentCalls);
  return { steps: steps.kept, named: named.kept, calls, isCut: state.isCut || isLong || steps.isCut || named.isCut };
}

/** @param fingerprint maps an address to its entry in `SessionState.named` */
export function historyOf(
  { steps, calls, named, isCut }: SessionState,
  nowMs: number,
  fingerprint: (address: string) => string,
): SessionHistory {
  const known = new Set(named);
  return {
    ...{ steps, isCut },
    hasNamed: (address) => known.has(fingerprint(address)),
    callsWithin: (windowMs, tool) =>
      calls.filter(
        ({ name, atMs }) => atMs > nowMs - windowMs && (tool === undefined || name === shortName(toolNameForm(tool))),
      ).length,
  };
}

/** Serialises the state for storage. */
export function writtenState({ steps, calls, named, isCut }: SessionState): string {
  return JSON.stringify({
    steps: steps.map(({ kind, name }) => [kind === 'tool_call' ? 'c' : 'r', name]),
    calls: calls.map(({ name, atMs }) => [name, atMs]),
    named,
    ...(isCut ? { cut: true } : {}),
  });
}

/** Reads a state serialised by `writtenState`. */
export function readState(text: string): SessionState {
  const stored = JSON.parse(text) as {
    readonly steps: readonly (readonly ['c' | 'r', string])[];
    readonly calls: readonly (readonly [string, number])[];
    readonly named: readonly string[];
    readonly cut?: true;
  };
  return {
    steps: stored.steps.map(([kind, name]) => ({ kind: kind === 'c' ? 'tool_call' : 'tool_result', name })),
    calls: stored.calls.map(([name, atMs]) => ({ name, atMs })),
    named: stored.named,
    isCut: stored.cut === true,
  };
}

function joined<Item>(
  known: readonly Item[],
  more: readonly Item[],
  keyOf: (item: Item) => string,
  limit: number,
): { readonly kept: readonly Item[]; readonly isCut: boolean } {
  const all = new Map(known.map((item) => [keyOf(item), item]));
  let isCut = false;
  for (const item of more) {
    const key = keyOf(item);
    if (all.has(key)) continue;
    if (all.size < limit) all.set(key, item);
    else isCut = true;
  }
  return { kept: all.size === known.length ? known : [...all.values()], isCut };
}

function stepKey({ kind, name }: SessionStep): string {
  return `${kind} ${name}`;
}

function shortName(name: string): string {
  return name.slice(0, MAX_NAME_LENGTH);
}
