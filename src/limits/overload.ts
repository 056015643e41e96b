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

/** Reports that an admitted call is done; a second call has no effect. */
export interface ReleaseSlot {
  (): void;
  /** False if the call was admitted at once, so that its key cannot have been deleted in the meantime. */
  readonly waited?: boolean;
}

/**
 * Admission control before any work on a call: while the event loop cannot keep up, calls are queued or refused as `overloaded`. It
 * only applies to calls that are judged: health, metrics and reads are never refused.
 */
@Injectable()
export class Overload implements OnApplicationShutdown {
  private readonly queue: AdmissionQueue;
  private readonly delay: ReturnType<typeof monitorEventLoopDelay>;
  private readonly timer: NodeJS.Timeout;
  private readonly left: (labels: Readonly<Record<'source', string>>) => void;
  private readonly shed: (labels: Readonly<Record<'source', string>>) => void;
  /** The callbacks to run when an admitted call has been judged, by its client. */
  private readonly afterwards = new WeakMap<WaitingClient, (() => void)[]>();
  private delayMs = 0;
  private used: EventLoopUtilization = performance.eventLoopUtilization();

  constructor(@Inject(APP_CONFIG) { overload }: AppConfig, @Inject(Metrics) metrics: Metrics) {
    const { targetDelayMs, longestWaitMs } = overload;
    this.queue = new AdmissionQueue({ least: LEAST, most: MOST, targetDelayMs, longestWaitMs });
    this.delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.delay.enable();
    this.timer = setInterval(() => this.tick(), TICK_MS).unref();
    this.shed = metrics.count('weir_overload_refused_total', 'Calls refused for overload.', ['source']);
    this.left = metrics.count('weir_overload_left_total', 'Queued calls whose client disconnected.', ['source']);
    metrics.gauge('weir_overload_limit', 'Maximum number of calls processed at once.', () => this.queue.state.limit);
    metrics.gauge('weir_overload_running', 'Calls that are being processed.', () => this.queue.state.running);
    metrics.gauge('weir_overload_waiting', 'Queued calls.', () => this.queue.state.waiting);
    const lateSeconds = (): number => this.delayMs / MS_PER_S;
    metrics.gauge('weir_overload_delay_seconds', 'Recent delay of the event loop.', lateSeconds, 'max');
  }

  /**
   * Admits a call, without a promise if it need not wait. The returned function must be called when the call has been judged.
   *
   * @param party the account and the key, between which admission is fair
   * @param client its disconnection ends the wait, because nobody would receive the answer
   * @throws WeirError `overloaded`
   */
  enter(source: CallSource, party: readonly string[], client?: WaitingClient): ReleaseSlot | Promise<ReleaseSlot> {
    const turn = this.turn(source, party, client);
    return turn === undefined ? this.slot(party, client, false) : turn.then(() => this.slot(party, client, true));
  }

  /** Runs `then` when the call of a client has been judged; at once if no call is in progress. */
  whenJudged(client: WaitingClient, then: () => void): void {
    const waiting = this.afterwards.get(client);
    if (waiting === undefined) then();
    else waiting.push(then);
  }

  /**
   * Refuses a call before its body is read if it would be refused afterwards.
   * @throws WeirError `overloaded`
   */
  check(source: CallSource, party: readonly string[]): void {
    const afterMs = this.queue.refusalOf(party);
    if (afterMs !== undefined) throw this.refusal(source, afterMs);
  }

  /** Counts a call that was admitted, but refused later because a queue that only some calls need is full. */
  countRefused(source: CallSource): void {
    this.shed({ source });
  }

  /** Whether calls may be refused now; none is while the queue is empty. */
  get isBusy(): boolean {
    return this.queue.isBusy;
  }

  /** The place of a call that has been admitted. */
  private slot(party: readonly string[], client: WaitingClient | undefined, waited: boolean): ReleaseSlot {
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

  /** @returns undefined if the call is admitted at once, otherwise its turn */
  private turn(
    source: CallSource,
    party: readonly string[],
    client: WaitingClient | undefined,
  ): Promise<undefined> | undefined {
    if (this.queue.admitNow(party)) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    let isIn = false;
    const admit = (): void => {
      isIn = true;
      resolve(undefined);
    };
    const applicant = { party, admit, refuse: (afterMs: number): void => reject(this.refusal(source, afterMs)) };
    this.queue.ask(applicant, performance.now());
    if (isIn) return undefined;
    const leaves = (): void => {
      if (!this.queue.withdraw(applicant)) return;
      this.left({ source });
      reject(new WeirError('overloaded', { retryAfterSeconds: 1 }));
    };
    client?.once('close', leaves);
    return promise.finally(() => client?.off('close', leaves));
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
