import { inTurns, type Steps } from '../core/index.js';

/** Work that has begun and has had few turns. It goes on first: each piece of work that is half done takes memory. */
const begun: (() => void)[] = [];
/** Work that has yet to begin or takes long. */
const waiting: (() => void)[] = [];
/** More turns than this are many. */
const FEW_TURNS = 8;
/** One of so many turns goes to what waits, however much has begun. */
const WAITING_EVERY_TURNS = 4;
let turn = 0;

/**
 * Lets whatever waits go first: long work must not hold up short ones. Of several long works one goes on at a time, so that
 * what comes meanwhile waits for one turn, not for a turn of each.
 * @param taken turns that the work has had; left out: it has yet to begin, or takes long
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

/** So long a turn of the event loop may take before work that comes in many small pieces lets others go first. */
const LATE_MS = 4;

/** When somebody first asked in this turn; undefined in a turn in which nobody has. */
let turnAskedMs: number | undefined;

/**
 * For work that comes in many small pieces, none of which is long: what comes without anybody having to wait for it is done in
 * one and the same turn of the event loop, however much it is.
 *
 * @returns what has to be waited for before the next piece; undefined while the turn has not taken long
 */
export function afterOthersIfLate(): Promise<void> | undefined {
  const nowMs = performance.now();
  if (turnAskedMs !== undefined) return nowMs - turnAskedMs < LATE_MS ? undefined : afterOthers();
  turnAskedMs = nowMs;
  setImmediate(() => (turnAskedMs = undefined));
  return undefined;
}

/** Does work in turns with everything else that the event loop has to do. */
export function runCooperatively<Result>(steps: Steps<Result>): Promise<Result> {
  return inTurns(steps, { nowMs: () => performance.now(), pause: afterOthers });
}
