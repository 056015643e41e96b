/**
 * Work in interruptible steps. Processing a large call takes longer than other calls should wait, so it is written as a generator that
 * stops every few hundred items. It can run synchronously, or yield to other work between steps.
 */
export type Steps<Result> = Generator<void, Result, void>;

/** The host's clock and its way to yield to other work; core has no clock of its own. */
export interface Turns {
  nowMs(): number;
  /**
   * Yields to other waiting work.
   * @param taken number of turns of this work so far, so that a host can give priority to nearly finished work; if omitted, assumed to
   * be high
   */
  pause(taken?: number): Promise<void>;
}

/** Number of items processed between two stops; takes less than a millisecond. */
export const THINGS_BETWEEN_STOPS = 256;
/** Duration of a turn before the work yields to other work. */
const TURN_MS = 2;

/**
 * Runs work without interruption, with a stop before and after it, so that adjacent work does not prolong the wait of other calls.
 * The time of a turn is measured from the first stop.
 */
export function* oneStep<Result>(work: () => Result): Steps<Result> {
  yield;
  const result = work();
  yield;
  return result;
}

/** Runs all steps synchronously. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Runs the steps synchronously if they take no longer than a turn, as most do; otherwise the rest runs in turns with other work. Work
 * without a stop does not read the clock, which would cost more than most such work.
 */
export function atOnceOrInTurns<Result>(steps: Steps<Result>, turns: Turns): Promise<Result> | Result {
  const first = steps.next();
  if (first.done === true) return first.value;
  const sinceMs = turns.nowMs();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (turns.nowMs() - sinceMs >= TURN_MS) return turns.pause(1).then(() => restInTurns(steps, turns));
  }
}

/** Runs all steps, in turns with other work if the host provides `turns`. */
export function runInTurnsIfNeeded<Result>(steps: Steps<Result>, turns: Turns | undefined): Promise<Result> | Result {
  return turns === undefined ? atOnce(steps) : atOnceOrInTurns(steps, turns);
}

async function restInTurns<Result>(steps: Steps<Result>, turns: Turns): Promise<Result> {
  let sinceMs = turns.nowMs();
  for (let taken = 2; ;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (turns.nowMs() - sinceMs < TURN_MS) continue;
    await turns.pause(taken++);
    sinceMs = turns.nowMs();
  }
}

/** Whether an iteration stops after the item at this index; never in a short list. */
export const isStop = (index: number): boolean => index % THINGS_BETWEEN_STOPS === THINGS_BETWEEN_STOPS - 1;

/** Number of items processed between two stops if each item takes long, such as a detector or an event of a stream. */
export const HEAVY_THINGS_BETWEEN_STOPS = 16;

/** Whether an iteration over slow items stops after the item at this index. */
export const isHeavyStop = (index: number): boolean =>
  index % HEAVY_THINGS_BETWEEN_STOPS === HEAVY_THINGS_BETWEEN_STOPS - 1;

/** Processes slow items one by one, each synchronously or in steps. */
export function* eachInSteps<Item>(items: Iterable<Item>, work: (item: Item) => Steps<void> | void): Steps<void> {
  let index = 0;
  for (const item of items) {
    const steps = work(item);
    if (steps !== undefined) yield* steps;
    if (isHeavyStop(index++)) yield;
  }
}

/** `Array.prototype.map` in steps. */
export function* mapped<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
): Steps<Result[]> {
  const results: Result[] = [];
  for (let index = 0; index < items.length; index++) {
    results.push(map(items[index]!, index));
    if (isStop(index)) yield;
  }
  return results;
}

/** `Array.prototype.flatMap` in steps. */
export function* flatMapped<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => readonly Result[],
): Steps<Result[]> {
  const results: Result[] = [];
  for (let index = 0; index < items.length; index++) {
    for (const result of map(items[index]!, index)) {
      results.push(result);
      if (isStop(results.length)) yield;
    }
    if (isStop(index)) yield;
  }
  return results;
}

/** `Array.prototype.filter` in steps. */
export function filtered<Item, Kept extends Item>(
  items: readonly Item[],
  test: (item: Item) => item is Kept,
): Steps<Kept[]>;
export function filtered<Item>(items: readonly Item[], test: (item: Item) => boolean): Steps<Item[]>;
export function* filtered<Item>(items: readonly Item[], test: (item: Item) => boolean): Steps<Item[]> {
  const results: Item[] = [];
  for (let index = 0; index < items.length; index++) {
    const item = items[index]!;
    if (test(item)) results.push(item);
    if (isStop(index)) yield;
  }
  return results;
}

/** Maximum number of lists per `concat` call: each is an argument, and too many arguments overflow the stack. */
const LISTS_AT_ONCE = 4_096;

/** Appends any number of items to a list; `push(...more)` would overflow the stack. */
export function append<Item>(list: Item[], more: Iterable<Item>): void {
  for (const item of more) list.push(item);
}

/** Concatenates lists. They are copied in few large parts, which takes milliseconds for millions of items. */
export function joinedLists<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const filled = lists.filter(({ length }) => length > 0);
  const [only] = filled;
  if (only !== undefined && filled.length === 1) return only;
  if (filled.length <= LISTS_AT_ONCE) return ([] as Item[]).concat(...filled);
  const parts: Item[][] = [];
  for (let from = 0; from < filled.length; from += LISTS_AT_ONCE)
    parts.push(([] as Item[]).concat(...filled.slice(from, from + LISTS_AT_ONCE)));
  return joinedLists(parts);
}

/**
 * `Array.prototype.toSorted` in steps, as a natural merge sort (Knuth, The Art of Computer Programming, volume 3, 5.2.4) that uses
 * existing order: a sorted list needs one pass, two concatenated sorted lists one merge.
 */
export function* sorted<Item>(items: readonly Item[], compare: (a: Item, b: Item) => number): Steps<readonly Item[]> {
  let runs = yield* orderedRuns(items, compare);
  while (runs.length > 1) {
    const merged: (readonly Item[])[] = [];
    for (let index = 0; index < runs.length; index += 2) {
      const [left, right] = [runs[index]!, runs[index + 1]];
      merged.push(right === undefined ? left : yield* mergedRuns(left, right, compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

/** The sorted runs of a list, each as long as possible; short runs are replaced by sorted blocks of `THINGS_BETWEEN_STOPS` items. */
function* orderedRuns<Item>(items: readonly Item[], compare: (a: Item, b: Item) => number): Steps<(readonly Item[])[]> {
  const runs: (readonly Item[])[] = [];
  for (let from = 0; from < items.length;) {
    let to = from + 1;
    while (to < items.length && compare(items[to - 1]!, items[to]!) <= 0) {
      if (++to % THINGS_BETWEEN_STOPS === 0) yield;
    }
    if (from === 0 && to === items.length) return [items];
    if (to - from >= THINGS_BETWEEN_STOPS) {
      runs.push(items.slice(from, to));
    } else {
      to = Math.min(items.length, from + THINGS_BETWEEN_STOPS);
      runs.push(items.slice(from, to).sort(compare));
      yield;
    }
    from = to;
  }
  return runs;
}

/** Merges two sorted runs; of equal items, those on the left come first. */
function* mergedRuns<Item>(
  left: readonly Item[],
  right: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Steps<readonly Item[]> {
  // Adjacent runs often do not overlap.
  if (compare(left.at(-1)!, right[0]!) <= 0) return left.concat(right);
  const merged: Item[] = [];
  let [a, b] = [0, 0];
  while (a < left.length && b < right.length) {
    merged.push(compare(left[a]!, right[b]!) <= 0 ? left[a++]! : right[b++]!);
    if (merged.length % THINGS_BETWEEN_STOPS === 0) yield;
  }
  return merged.concat(left.slice(a), right.slice(b));
}
