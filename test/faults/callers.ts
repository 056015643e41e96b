/** Clients that call all the time, and remember what each of them was told. */
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';

/** Nobody waits this long: a call that was not answered until then hangs. */
const NEVER_MS = 60_000;
/** Between two calls of one client. */
const PAUSE_MS = 20;
/** How much later than its deadline an answer may come. */
const LATE_MS = 2_000;

export interface Told {
  /** Events that were answered with 200, by `event_id`. */
  readonly events: Set<string>;
  /** Events whose fate the client does not know. */
  readonly unknown: Set<string>;
  /** Calls through the proxy that were answered with 200, by `request_id`. */
  readonly calls: Set<string>;
  /** Answers by status; 0 for a connection that broke. */
  readonly statuses: Map<number, number>;
  longestMs: number;
  /** Answers that came more than two seconds after the deadline. */
  late: number;
}

interface Target {
  /** Of the replicas, as they are now. */
  readonly urls: () => readonly string[];
  readonly key: string;
  /** The longest that a call may take. */
  readonly deadlineMs: number;
}

/** What one call was answered: its status, 0 where nothing came. */
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
  readonly told: Told = {
    ...{ events: new Set(), unknown: new Set(), calls: new Set(), statuses: new Map() },
    ...{ longestMs: 0, late: 0 },
  };
  private readonly agent = new Agent({ connections: 256, headersTimeout: NEVER_MS, bodyTimeout: NEVER_MS });
  private readonly post = poster(this.agent);
  private readonly running: Promise<void>[] = [];
  private isOver = false;

  constructor(private readonly target: Target) {}

  /** @param each how many submit events, and how many call through the proxy */
  start(each: number): void {
    for (let index = 0; index < each; index++) {
      this.running.push(this.submit(`e${index}`, index), this.callProxy(`p${index}`, index));
    }
  }

  /** How many calls were answered with 200. */
  get acknowledged(): number {
    return this.told.events.size + this.told.calls.size;
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.running);
    await this.agent.destroy();
  }

  /** Sends an event again until it is acknowledged: its id makes that safe. */
  private async submit(name: string, first: number): Promise<void> {
    let turn = first;
    for (let sequence = 0; !this.isOver; sequence++) {
      const id = `${name}.${sequence}`;
      this.told.unknown.add(id);
      let status = 0;
      while (status !== 200 && !this.isOver) {
        status = await this.timed(turn++, '/v1/events', eventOf(id), { authorization: `Bearer ${this.target.key}` });
      }
      if (status !== 200) return;
      this.told.unknown.delete(id);
      this.told.events.add(id);
    }
  }

  /** A call through the proxy is a new one each time. */
  private async callProxy(name: string, first: number): Promise<void> {
    let turn = first;
    for (let sequence = 0; !this.isOver; sequence++) {
      const id = `${name}.${sequence}`;
      const body = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: `hello from ${id}` }] });
      const headers = { 'x-service-key': this.target.key, 'x-request-id': id };
      const status = await this.timed(turn++, '/proxy/openai/v1/chat/completions', body, headers);
      if (status === 200) this.told.calls.add(id);
    }
  }

  private async timed(turn: number, path: string, body: string, headers: Record<string, string>): Promise<number> {
    const urls = this.target.urls();
    const startedMs = performance.now();
    const status = await this.post(`${urls[turn % urls.length]!}${path}`, body, headers);
    const tookMs = performance.now() - startedMs;
    this.told.longestMs = Math.max(this.told.longestMs, tookMs);
    if (tookMs > this.target.deadlineMs + LATE_MS) this.told.late += 1;
    this.told.statuses.set(status, (this.told.statuses.get(status) ?? 0) + 1);
    await delay(PAUSE_MS);
    return status;
  }
}
