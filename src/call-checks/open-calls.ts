import type { AdmittedCall } from '../calls/index.js';
import { parseJson, searchesAlways } from '../core/index.js';
import { sizeOf } from './open-call-size.js';

/** The time for which an open call is kept in memory; afterwards, its end is judged with the data in the log. */
const KEPT_MS = 10 * 60_000;
/** How often calls that were kept for that time are removed. */
const PURGE_MS = 60_000;
const MIB = 1024 * 1024;

/** The memory for open calls, in estimated bytes. */
export interface OpenCallLimits {
  readonly bytes: number;
  /** The part that the calls of one account may use. */
  readonly ofAccount: number;
}

const LIMITS: OpenCallLimits = { bytes: 192 * MIB, ofAccount: 144 * MIB };

interface OpenCall {
  readonly call: AdmittedCall;
  readonly bytes: number;
  readonly addedMs: number;
}

interface CallsOfAccount {
  bytes: number;
  /** Ids, oldest first. */
  readonly ids: Set<string>;
}

/**
 * The calls that this process admitted, with the data that only it has: their original texts. If there is no memory for a call, the
 * oldest calls of the account that uses most of it are removed, so that one account cannot remove the calls of all others.
 */
export class OpenCalls {
  /** Oldest first. */
  private readonly calls = new Map<string, OpenCall>();
  private readonly byAccount = new Map<string, CallsOfAccount>();
  private bytes = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param nowMs a monotonic clock */
  constructor(
    private readonly limits: OpenCallLimits = LIMITS,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  get count(): number {
    return this.calls.size;
  }

  /** Keeps the call, unless it is larger than the part of one account. */
  add(call: AdmittedCall): void {
    this.purge();
    this.delete(call.id);
    const bytes = sizeOf(call, this.limits.ofAccount);
    if (bytes > this.limits.ofAccount) return;
    const { accountId } = call.caller;
    const own = this.byAccount.get(accountId) ?? { bytes: 0, ids: new Set() };
    this.byAccount.set(accountId, own);
    this.calls.set(call.id, { call: withoutBody(call), bytes, addedMs: this.nowMs() });
    own.ids.add(call.id);
    own.bytes += bytes;
    this.bytes += bytes;
    while (own.bytes > this.limits.ofAccount) this.deleteOldest(own);
    while (this.bytes > this.limits.bytes) this.deleteOldest(this.largest());
    this.timer ??= setInterval(() => this.purge(), PURGE_MS).unref();
  }

  /** @returns undefined for a call of another process, an ended call, and a removed one */
  find(id: string): AdmittedCall | undefined {
    const open = this.calls.get(id);
    return open === undefined || this.isOld(open) ? undefined : open.call;
  }

  delete(id: string): void {
    const open = this.calls.get(id);
    if (open === undefined) return;
    const { accountId } = open.call.caller;
    const own = this.byAccount.get(accountId);
    this.calls.delete(id);
    this.bytes -= open.bytes;
    if (own === undefined) return;
    own.bytes -= open.bytes;
    own.ids.delete(id);
    if (own.ids.size === 0) this.byAccount.delete(accountId);
  }

  /** Removes the calls that were kept long enough. */
  purge(): void {
    for (const [id, open] of this.calls) {
      if (!this.isOld(open)) return;
      this.delete(id);
    }
    this.stop();
  }

  /** Called by Nest when the application ends. */
  onModuleDestroy(): void {
    this.stop();
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private isOld({ addedMs }: OpenCall): boolean {
    return this.nowMs() - addedMs >= KEPT_MS;
  }

  private deleteOldest({ ids }: CallsOfAccount): void {
    const [id] = ids;
    if (id !== undefined) this.delete(id);
  }

  /** The account whose calls use most memory. Called only while there are calls. */
  private largest(): CallsOfAccount {
    return [...this.byAccount.values()].reduce((one, other) => (other.bytes > one.bytes ? other : one));
  }
}

/** Stands for a body of which only this is known: its call searches the web, whether or not its answer reports it. */
const SEARCHING = '{"web_search_options":null}';

/**
 * The part of a call that its end needs. The document of its body has several objects for each of its values, and `leave` and
 * `rollback` refer to the connection of its client.
 */
function withoutBody(call: AdmittedCall): AdmittedCall {
  const { doc, textBody: _textBody, plainBody: _plainBody, claim: _claim, judgement, ...rest } = call;
  return {
    ...rest,
    ...(doc !== undefined && searchesAlways(doc.root) ? { doc: parseJson(SEARCHING) } : {}),
    judgement: { ...judgement, edits: [], violations: [], snapshot: '{}' },
    rollback: () => undefined,
    leave: () => undefined,
  };
}
