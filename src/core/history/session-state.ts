import { toolNameForm } from '../call/tool-name.js';
import { withToolsNamed, type SessionAdditions, type SessionHistory, type SessionStep } from '../model/session.js';
import {
  countAfter,
  droppedBefore,
  mayHaveDropped,
  namesDropped,
  withCalls,
  type RecentCalls,
} from './recent-calls.js';

/** The stored state of a session: names and times of tool calls, and fingerprints of addresses; no text. */
export interface SessionState extends RecentCalls {
  readonly steps: readonly SessionStep[];
  readonly named: readonly string[];
  /** Whether steps or addresses were left out. */
  readonly isCut: boolean;
}

/** The state of a new session. */
export const NEW_SESSION: SessionState = { steps: [], calls: [], dropped: [], named: [], isCut: false };

/** Lifetime after the last call. After that a session starts with an empty state. */
export const SESSION_LIFE_MS = 24 * 3_600_000;

const MAX_STEPS = 256;
const MAX_NAMED = 1_024;
const MAX_NAME_LENGTH = 128;

/**
 * The state after one more call. Steps and addresses over the limits are dropped, and `isCut` then stays set for the session's lifetime;
 * the first entries are kept, so that many calls cannot displace them. Of the counted calls the last ones of each tool are kept.
 */
export function afterCall(state: SessionState, added: SessionAdditions, atMs: number): SessionState {
  const addedSteps = added.steps.map(({ kind, name }) => ({ kind, name: shortName(name) }));
  const steps = joined(state.steps, withToolsNamed([...state.steps, ...addedSteps]), stepKey, MAX_STEPS);
  const named = joined(state.named, added.named, (name) => name, MAX_NAMED);
  const isLong = added.steps.some(({ name }) => name.length > MAX_NAME_LENGTH);
  const calls = added.calls.map((name) => ({ name: shortName(toolNameForm(name)), atMs }));
  return {
    steps: steps.kept,
    named: named.kept,
    ...withCalls(state, calls, atMs - SESSION_LIFE_MS),
    isCut: state.isCut || isLong || steps.isCut || named.isCut,
  };
}

/** @param fingerprint maps an address to its entry in `SessionState.named` */
export function historyOf(
  state: SessionState,
  nowMs: number,
  fingerprint: (address: string) => string,
): SessionHistory {
  const { steps, named, isCut } = state;
  const known = new Set(named);
  const formOf = (tool: string): string => shortName(toolNameForm(tool));
  return {
    ...{ steps, isCut },
    hasNamed: (address) => known.has(fingerprint(address)),
    callsWithin: (windowMs, tool) => countAfter(state, nowMs - windowMs, tool === undefined ? undefined : formOf(tool)),
    mayHaveMoreCalls: (windowMs, tool) => mayHaveDropped(state, nowMs - windowMs, formOf(tool)),
  };
}

/** Serialises the state for storage. Earlier versions read it as well, without `dropped`. */
export function writtenState(state: SessionState): string {
  const { steps, calls, dropped, named, isCut } = state;
  return JSON.stringify({
    steps: steps.map(({ kind, name }) => [kind === 'tool_call' ? 'c' : 'r', name]),
    calls: calls.map(({ name, atMs }) => [name, atMs]),
    ...(namesDropped(state) ? { dropped: dropped.map(({ name, atMs }) => [name, atMs]) } : {}),
    named,
    ...(isCut ? { cut: true } : {}),
  });
}

/** Reads a state serialised by `writtenState`. */
export function readState(text: string): SessionState {
  const stored = JSON.parse(text) as {
    readonly steps: readonly (readonly ['c' | 'r', string])[];
    readonly calls: readonly (readonly [string, number])[];
    readonly dropped?: readonly (readonly [string, number])[];
    readonly named: readonly string[];
    readonly cut?: true;
  };
  const calls = stored.calls.map(([name, atMs]) => ({ name, atMs }));
  return {
    steps: stored.steps.map(([kind, name]) => ({ kind: kind === 'c' ? 'tool_call' : 'tool_result', name })),
    calls,
    dropped: stored.dropped?.map(([name, atMs]) => ({ name, atMs })) ?? droppedBefore(calls),
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
