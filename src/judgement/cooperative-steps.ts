import { atOnceOrInTurns, type Steps, type Turns } from '../core/index.js';

/** Tasks that have begun and had few turns. They have precedence, because each unfinished task takes memory. */
const begun: (() => void)[] = [];
/** Tasks that have not begun or take long. */
const waiting: (() => void)[] = [];
/** A task with more turns than this counts as long. */
const FEW_TURNS = 8;
/** One of this many turns goes to a waiting task, however many are in progress. */
const WAITING_EVERY_TURNS = 4;
let turn = 0;

/**
 * Yields to other work, so that a long task does not delay short ones. Of several long tasks, one runs at a time, so
 * that new work waits for one turn instead of one turn of each task.
 * @param taken turns that the task has had; omit it for a task that has not begun or takes long
 */
export function afterOthers(taken = Number.POSITIVE_INFINITY): Promise<void> {
  return new Promise((resolve) => {
    (taken <= FEW_TURNS ? begun : waiting).push(resolve);
    if (begun.length + waiting.length === 1) setImmediate(next);
  });
}

function next(): void {
  turn = (turn + 1) % WAITING_EVERY_TURNS;
  const [first, second] = turn === 0 ? [waiting, begun] : [begun, waiting];
  (first.shift() ?? second.shift())?.();
  if (begun.length + waiting.length > 0) setImmediate(next);
}

/** The maximum duration of an event-loop turn before work that arrives in many small pieces yields. */
const LATE_MS = 4;

/** The time of the first request in this turn; undefined before it. */
let turnAskedMs: number | undefined;

/**
 * Yields when the current turn of the event loop has taken long. It is for work that arrives in many short pieces:
 * those that are available without waiting would otherwise all be done in the same turn.
 *
 * @returns a promise to await before the next piece; undefined while the turn is short
 */
export function afterOthersIfLate(): Promise<void> | undefined {
  const nowMs = performance.now();
  if (turnAskedMs !== undefined) return nowMs - turnAskedMs < LATE_MS ? undefined : afterOthers();
  turnAskedMs = nowMs;
  setImmediate(() => (turnAskedMs = undefined));
  return undefined;
}

const TURNS: Turns = { nowMs: () => performance.now(), pause: afterOthers };

/** Runs a task at once if it is short, otherwise in turns with the other work of the event loop. */
export function runCooperatively<Result>(steps: Steps<Result>): Promise<Result> | Result {
  return atOnceOrInTurns(steps, TURNS);
}
