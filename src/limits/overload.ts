import type { ServerResponse } from 'node:http';
import { monitorEventLoopDelay, performance, type EventLoopUtilization } from 'node:perf_hooks';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { WeirError, withoutStack } from '../http/index.js';
import { Metrics } from '../metrics/index.js';
import { AdmissionQueue } from '../overload/index.js';

const LEAST = 4;
const MOST = 1_024;
const TICK_MS = 100;
const RESOLUTION_MS = 10;
const NS_PER_MS = 1_000_000;
const MS_PER_S = 1_000;

type CallSource = 'rest' | 'proxy' | 'calls';
/** The answer to a client: closed when the client has disconnected. */
export type WaitingClient = Pick<ServerResponse, 'once' | 'off'>;

/** Says that a call that was let in is done; a second time does nothing. */
export interface ReleaseSlot {
  (): void;
  /** False where the call was let in at once: nothing can have happened since it asked. */
  readonly waited?: boolean;
}

/**
 * What stands before all work on a call: while there is more than the event loop can do in time, calls wait their turn or
 * are refused as `overloaded`. Only calls that are judged come here: health, metrics and reads are never refused.
 */
@Injectable()
export class Overload implements OnApplicationShutdown {
  private readonly queue: AdmissionQueue;
  private readonly delay: ReturnType<typeof monitorEventLoopDelay>;
  private readonly timer: NodeJS.Timeout;
  private readonly left: (labels: Readonly<Record<'source', string>>) => void;
  private readonly shed: (labels: Readonly<Record<'source', string>>) => void;
  /** By the client of a call that was let in: what is to be done once it has been judged. */
  private readonly afterwards = new WeakMap<WaitingClient, (() => void)[]>();
  private delayMs = 0;
  private used: EventLoopUtilization = performance.eventLoopUtilization();

  constructor(@Inject(APP_CONFIG) { overload }: AppConfig, @Inject(Metrics) metrics: Metrics) {
    const { targetDelayMs, longestWaitMs } = overload;
    this.queue = new AdmissionQueue({ least: LEAST, most: MOST, targetDelayMs, longestWaitMs });
    this.delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.delay.enable();
    this.timer = setInterval(() => this.tick(), TICK_MS).unref();
    this.shed = metrics.count('weir_overload_refused_total', 'Calls refused before any work.', ['source']);
    this.left = metrics.count('weir_overload_left_total', 'Calls whose client left before their turn.', ['source']);
    metrics.gauge('weir_overload_limit', 'Calls that are worked on at once at most.', () => this.queue.state.limit);
    metrics.gauge('weir_overload_running', 'Calls that are worked on.', () => this.queue.state.running);
    metrics.gauge('weir_overload_waiting', 'Calls that wait for their turn.', () => this.queue.state.waiting);
    const lateSeconds = (): number => this.delayMs / MS_PER_S;
    metrics.gauge('weir_overload_delay_seconds', 'How late the event loop was lately.', lateSeconds, 'max');
  }

  /**
   * Waits for the turn of a call. What it returns has to be called when the call has been judged.
   *
   * @param party who takes turns: account, key
   * @param client whose leaving ends the wait: nobody is left to hear what would come of the call
   * @throws WeirError `overloaded`
   */
  async enter(source: CallSource, party: readonly string[], client?: WaitingClient): Promise<ReleaseSlot> {
    const waited = await this.turn(source, party, client);
    const enteredMs = performance.now();
    const then: (() => void)[] = [];
    if (client !== undefined) this.afterwards.set(client, then);
    let left = false;
    const leave = (): void => {
      if (left) return;
      left = true;
      const nowMs = performance.now();
      this.queue.leave(party, nowMs - enteredMs, nowMs);
      if (client !== undefined) this.afterwards.delete(client);
      for (const each of then) each();
    };
    return Object.assign(leave, { waited });
  }

  /** Does something once the call of a client has been judged; at once where none is worked on. */
  whenJudged(client: WaitingClient, then: () => void): void {
    const waiting = this.afterwards.get(client);
    if (waiting === undefined) then();
    else waiting.push(then);
  }

  /**
   * Before a body is read: refuses a call that would be refused behind it.
   * @throws WeirError `overloaded`
   */
  check(source: CallSource, party: readonly string[]): void {
    const afterMs = this.queue.refusalOf(party);
    if (afterMs !== undefined) throw this.refusal(source, afterMs);
  }

  /** Whether any call may be refused now; while nobody waits none is. */
  get isBusy(): boolean {
    return this.queue.isBusy;
  }

  /** @returns whether the call had to wait */
  private async turn(
    source: CallSource,
    party: readonly string[],
    client: WaitingClient | undefined,
  ): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const now = { isIn: false, waits: false };
    const admit = (): void => {
      now.isIn = true;
      resolve(now.waits);
    };
    const applicant = { party, admit, refuse: (afterMs: number): void => reject(this.refusal(source, afterMs)) };
    this.queue.ask(applicant, performance.now());
    if (now.isIn) return promise;
    now.waits = true;
    const leaves = (): void => {
      if (!this.queue.withdraw(applicant)) return;
      this.left({ source });
      reject(new WeirError('overloaded', { retryAfterSeconds: 1 }));
    };
    client?.once('close', leaves);
    try {
      return await promise;
    } finally {
      client?.off('close', leaves);
    }
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.delay.disable();
  }

  private tick(): void {
    const meanMs = this.delay.mean / NS_PER_MS;
    this.delayMs = Number.isFinite(meanMs) ? Math.max(0, meanMs - RESOLUTION_MS) : 0;
    this.delay.reset();
    const used = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(used, this.used);
    this.used = used;
    this.queue.tick({ delayMs: this.delayMs, utilization }, performance.now());
  }

  private refusal(source: CallSource, afterMs: number): WeirError {
    this.shed({ source });
    return withoutStack('overloaded', { retryAfterSeconds: Math.max(1, Math.ceil(afterMs / MS_PER_S)) });
  }
}
