import { setTimeout as delay } from 'node:timers/promises';
import { Agent } from 'undici';
import { audit, type Audit } from './audit.js';
import { Callers, eventOf, poster } from './callers.js';
import type { Fault } from './faults.js';
import { Stage } from './stage.js';

/** The effects of a fault on concurrent callers. */
export interface Outcome extends Audit {
  readonly name: string;
  readonly times: number;
  /** The number of events and calls that were answered with 200. */
  readonly acknowledged: number;
  /** The number of other answers by status; 0 for broken connections. */
  readonly others: ReadonlyMap<number, number>;
  readonly note: string;
  readonly longestMs: number;
  /** The number of answers more than two seconds after the deadline. */
  readonly late: number;
  /** The longest time until each replica accepted calls again after a fault had ended, in milliseconds. */
  readonly backMs: number;
  /** The problems that `/readyz` reported. */
  readonly said: readonly string[];
  /** The longest time from the start of a fault until a replica reported a problem, in milliseconds; 0 if none did. */
  readonly unreadyMs: number;
}

/** The longest acceptable time until calls are accepted again. */
const BACK_MS = 2_000;
/** The longest acceptable time until a fault that operators have to know of is reported. */
const UNREADY_MS = { postgresql: 3_000, embedded: 6_000 };

/** The time limits that were missed in a run, as text. */
export function missedLimits({ says, needs }: Fault, { late, backMs, unreadyMs }: Outcome): string[] {
  const missed: string[] = [];
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
  if (late > 0) missed.push(`${late} late answers`);
  if (backMs > BACK_MS) missed.push(`calls accepted only after ${seconds(backMs)}`);
  if (says !== undefined && unreadyMs > UNREADY_MS[needs.database]) {
    missed.push(`not ready only after ${seconds(unreadyMs)}`);
  }
  return missed;
}

/** The number of clients of each kind. */
export const CALLERS = 6;
/** The number of calls that have to succeed before each fault. */
const CALM = 60;
const ASK_EVERY_MS = 25;
const PROBE_EVERY_MS = 100;
/** A service that has not recovered by then has ended. */
const GIVE_UP_MS = 60_000;

/** Causes a fault repeatedly while clients call, and compares the log with their answers. */
export async function runFault(fault: Fault, times = fault.times): Promise<Outcome> {
  const stage = await Stage.make(fault.needs);
  const { deadlineMs } = fault;
  const callers = new Callers({ urls: () => stage.urls, key: stage.bootstrap.keys.production, deadlineMs });
  const probes = new Probes(stage);
  try {
    callers.start(CALLERS);
    let backMs = 0;
    for (let time = 0; time < times; time++) {
      const calm = callers.acknowledged + CALM;
      await until(`answered ${CALM} calls`, () => callers.acknowledged >= calm);
      probes.start();
      await fault.breaks(stage, time);
      await delay(fault.holdMs);
      await probes.stop();
      await fault.mends(stage, time);
      backMs = Math.max(backMs, await untilBack(stage, `${time}`));
    }
    await callers.stop();
    const { events, unknown, calls, statuses, longestMs, late } = callers.observed;
    const found = await audit(stage.urls[0]!, stage.bootstrap.token, callers.observed);
    const others = new Map([...statuses].filter(([status]) => status !== 200));
    const { name } = fault;
    const note = fault.tells?.(stage) ?? '';
    // A client retries an unanswered event with the same id, so one event per client may be left without a loss.
    if (unknown.size > CALLERS) throw new Error(`${unknown.size} events were left unanswered by ${CALLERS} clients`);
    return {
      ...{ name, times, acknowledged: events.size + calls.size, others, note, longestMs, late, backMs },
      ...{ said: probes.said, unreadyMs: probes.unreadyMs, ...found },
    };
  } finally {
    await probes.stop();
    await callers.stop();
    await stage.end();
  }
}

/** Asks repeatedly whether something has happened. @throws Error if it does not happen in time */
async function until(what: string, hasHappened: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = performance.now() + GIVE_UP_MS;
  while (!(await hasHappened())) {
    if (performance.now() > endMs) throw new Error(`the service has not ${what} within ${GIVE_UP_MS / 1_000} seconds`);
    await delay(ASK_EVERY_MS);
  }
}

/** The time in milliseconds until every replica has stored an event. */
async function untilBack({ urls, bootstrap }: Stage, name: string): Promise<number> {
  const agent = new Agent();
  const post = poster(agent);
  const authorization = `Bearer ${bootstrap.keys.production}`;
  const startedMs = performance.now();
  const hasStored = async (url: string, index: number): Promise<boolean> =>
    (await post(`${url}/v1/events`, eventOf(`back.${name}.${index}`), { authorization })) === 200;
  await Promise.all(urls.map((url, index) => until('stored an event after the fault', () => hasStored(url, index))));
  await agent.destroy();
  return performance.now() - startedMs;
}

/** Polls the readiness of all replicas, and keeps the reported problems. */
class Probes {
  private readonly heard = new Set<string>();
  private running: Promise<void> | undefined;
  private isOver = true;
  private startedMs = 0;
  /** Whether a problem was reported since the start. */
  private hasHeard = false;
  /** The longest time from a start until a problem was reported. */
  unreadyMs = 0;

  constructor(private readonly stage: Stage) {}

  get said(): string[] {
    return [...this.heard];
  }

  start(): void {
    this.isOver = false;
    this.hasHeard = false;
    this.startedMs = performance.now();
    this.running = this.ask();
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await this.running;
  }

  private async ask(): Promise<void> {
    while (!this.isOver) {
      await Promise.all(this.stage.urls.map((url) => this.askOne(url)));
      await delay(PROBE_EVERY_MS);
    }
  }

  private async askOne(url: string): Promise<void> {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.status !== 503) return void (await answer?.arrayBuffer());
    if (!this.hasHeard) this.unreadyMs = Math.max(this.unreadyMs, performance.now() - this.startedMs);
    this.hasHeard = true;
    const { error } = (await answer.json()) as { error: { details: { path: string; message: string }[] } };
    for (const { path, message } of error.details) this.heard.add(`${path} ${message}`);
  }
}
