/** Clients that call continuously, and record the answers. */
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';

/** The timeout of a call: without an answer until then, it hangs. */
const NEVER_MS = 60_000;
/** The pause between two calls of one client. */
const PAUSE_MS = 20;
/** The tolerated delay of an answer after its deadline. */
const LATE_MS = 2_000;

export interface Observations {
  /** Events that were answered with 200, by `event_id`. */
  readonly events: Set<string>;
  /** Events that have not been answered with 200, by `event_id`. */
  readonly unknown: Set<string>;
  /** Calls through the proxy that were answered with 200, by `request_id`. */
  readonly calls: Set<string>;
  /** The number of answers by status; 0 for a broken connection. */
  readonly statuses: Map<number, number>;
  longestMs: number;
  /** The number of answers more than two seconds after the deadline. */
  late: number;
}

interface Target {
  /** The current URLs of the replicas. */
  readonly urls: () => readonly string[];
  readonly key: string;
  /** The time limit of a call. */
  readonly deadlineMs: number;
}

/** Makes one call. @returns its status, 0 without an answer */
export type Post = (url: string, body: string, headers: Readonly<Record<string, string>>) => Promise<number>;

export function poster(dispatcher: Agent): Post {
  return async (url, body, headers) => {
    const answer = await request(url, {
      ...{ dispatcher, method: 'POST', body },
      headers: { 'content-type': 'application/json', ...headers },
      signal: AbortSignal.timeout(NEVER_MS),
    }).catch(() => undefined);
    await answer?.body.dump({ limit: 10_000_000 }).catch(() => undefined);
    return answer?.statusCode ?? 0;
  };
}

/** An event as a client submits it. */
export function eventOf(id: string): string {
  const payload = { messages: [{ role: 'user', content: `hello from ${id}` }] };
  return JSON.stringify({ type: 'ai.request', event_id: id, request_id: id, payload });
}

export class Callers {
  readonly observed: Observations = {
    ...{ events: new Set(), unknown: new Set(), calls: new Set(), statuses: new Map() },
    ...{ longestMs: 0, late: 0 },
  };
  private readonly agent = new Agent({ connections: 256, headersTimeout: NEVER_MS, bodyTimeout: NEVER_MS });
  private readonly post = poster(this.agent);
  private readonly running: Promise<void>[] = [];
  private isOver = false;

  constructor(private readonly target: Target) {}

  /** @param each the number of clients that submit events, and of clients that call through the proxy */
  start(each: number): void {
    for (let index = 0; index < each; index++) {
      this.running.push(this.submit(`e${index}`, index), this.callProxy(`p${index}`, index));
    }
  }

  /** The number of events and calls that were answered with 200. */
  get acknowledged(): number {
    return this.observed.events.size + this.observed.calls.size;
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.running);
    await this.agent.destroy();
  }

  /** Submits events, and retries each until it is acknowledged: its id makes that safe. */
  private async submit(name: string, first: number): Promise<void> {
    let turn = first;
    for (let sequence = 0; !this.isOver; sequence++) {
      const id = `${name}.${sequence}`;
      this.observed.unknown.add(id);
      let status = 0;
      while (status !== 200 && !this.isOver) {
        status = await this.timed(turn++, '/v1/events', eventOf(id), { authorization: `Bearer ${this.target.key}` });
      }
      if (status !== 200) return;
      this.observed.unknown.delete(id);
      this.observed.events.add(id);
    }
  }

  /** Calls through the proxy without retries: each call is a new one. */
  private async callProxy(name: string, first: number): Promise<void> {
    let turn = first;
    for (let sequence = 0; !this.isOver; sequence++) {
      const id = `${name}.${sequence}`;
      const body = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: `hello from ${id}` }] });
      const headers = { 'x-service-key': this.target.key, 'x-request-id': id };
      const status = await this.timed(turn++, '/proxy/openai/v1/chat/completions', body, headers);
      if (status === 200) this.observed.calls.add(id);
    }
  }

  private async timed(turn: number, path: string, body: string, headers: Record<string, string>): Promise<number> {
    const urls = this.target.urls();
    const startedMs = performance.now();
    const status = await this.post(`${urls[turn % urls.length]!}${path}`, body, headers);
    const tookMs = performance.now() - startedMs;
    this.observed.longestMs = Math.max(this.observed.longestMs, tookMs);
    if (tookMs > this.target.deadlineMs + LATE_MS) this.observed.late += 1;
    this.observed.statuses.set(status, (this.observed.statuses.get(status) ?? 0) + 1);
    await delay(PAUSE_MS);
    return status;
  }
}
