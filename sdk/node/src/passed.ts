/**
 * The requests that guarded functions are passing on. If such a request comes back to its function, something around the function hides
 * that it has become the runtime's `fetch`. The request must then be sent without asking Weir again, because Weir would be asked endlessly.
 */
import type { FetchInput, Outgoing, OutgoingBody } from './outgoing.js';
import { contextStorage, type ContextStorage } from './runtime.js';

/** A request that Weir has judged, or that need not be judged. */
export interface Passed {
  /** The guarded function that passes it on. */
  readonly by: object;
  readonly url: string;
  readonly method: string | undefined;
  content: OutgoingBody['content'];
  /** Whether it was answered. */
  isOver?: boolean;
}

/** The storage is null in a runtime without one, and undefined before its first use. */
const held: { storage?: ContextStorage<readonly Passed[]> | null; now: readonly Passed[] } = { now: [] };

/** Sends a request. Until it is answered, `passedBy` finds it in everything that `send` calls. */
export async function whilePassed(passed: Passed, send: () => Promise<Response>): Promise<Response> {
  try {
    return await entered(passed, send);
  } finally {
    passed.isOver = true;
    // Connections that were opened meanwhile keep their context, and so this object.
    passed.content = undefined;
  }
}

/** The request that a function is passing on to this address in the current context. */
export function passedBy(by: object, input: FetchInput): Passed | undefined {
  return current().find((each) => each.by === by && each.isOver !== true && isSameAddress(input, each.url));
}

/** Whether a request to the same address is the one that is passed on: other text has not been judged. */
export function isSameRequest(passed: Passed, { method, body }: Outgoing): boolean {
  return passed.isOver !== true && passed.method === method && isSameContent(passed.content, body.content);
}

function current(): readonly Passed[] {
  return held.storage?.getStore() ?? held.now;
}

function entered<R>(passed: Passed, work: () => R): R {
  if (held.storage === undefined) held.storage = contextStorage();
  const all = [...current().filter(({ by, isOver }) => by !== passed.by && isOver !== true), passed];
  if (held.storage !== null) return held.storage.run(all, work);
  // Without a storage, only what happens before `work` waits for something is known to belong to it.
  const before = held.now;
  held.now = all;
  try {
    return work();
  } finally {
    held.now = before;
  }
}

function isSameAddress(input: FetchInput, url: string): boolean {
  const address = typeof input === 'object' && 'url' in input ? input.url : String(input);
  try {
    return address === url || new URL(address).href === new URL(url).href;
  } catch {
    return false;
  }
}

function isSameContent(one: OutgoingBody['content'], other: OutgoingBody['content']): boolean {
  if (typeof one === 'string' && typeof other === 'string') return one === other;
  const [left, right] = [bytesOf(one), bytesOf(other)];
  if (left === undefined || right === undefined) return one === null && other === null;
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

function bytesOf(content: OutgoingBody['content']): Uint8Array | undefined {
  return typeof content === 'string' ? new TextEncoder().encode(content) : (content ?? undefined);
}
