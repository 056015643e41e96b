/**
 * Processing all items of a large call takes longer than other calls should wait. Written as a generator that pauses every few hundred
 * items, the same work can be done at once, or alternately with other waiting work.
 */
export type Steps<Result> = Generator<void, Result, void>;

/** How long work may go on before others have their turn. Core has no clock: the host says. */
export interface Turns {
  nowMs(): number;
  /**
   * Lets others go first.
   * @param taken turns that this work has had, so that a host can bring what is nearly done to its end; left out: many
   */
  pause(taken?: number): Promise<void>;
}

/** So many things are done between two stops: less than a millisecond's work. */
export const THINGS_BETWEEN_STOPS = 256;
/** Others wait so long for their turn. */
const TURN_MS = 2;

/** Work in one piece, with a stop behind it: what comes next does not add to what others wait. */
export function* oneStep<Result>(work: () => Result): Steps<Result> {
  const result = work();
  yield;
  return result;
}

/** Does all of it now. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * The same, and at once what takes no longer than a turn: of most work there is nothing to wait for. What has no stop needs no
 * clock, which costs more than most such work.
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

/** Does all of it, in turns with others. */
export async function inTurns<Result>(steps: Steps<Result>, turns: Turns): Promise<Result> {
  return atOnceOrInTurns(steps, turns);
}

/** Does all of it, in turns with others where the host lets them. */
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

/** Whether a walk over a list stops behind the thing at this place: never in a short list. */
export const isStop = (index: number): boolean => index % THINGS_BETWEEN_STOPS === THINGS_BETWEEN_STOPS - 1;

/** So many things are done between two stops where each of them takes as long as a detector, or the events of a stream. */
export const HEAVY_THINGS_BETWEEN_STOPS = 16;

/** Whether a walk over things that take long stops behind the one at this place. */
export const isHeavyStop = (index: number): boolean =>
  index % HEAVY_THINGS_BETWEEN_STOPS === HEAVY_THINGS_BETWEEN_STOPS - 1;

/** Does something with each, at once or in steps, where each takes long. */
export function* eachInSteps<Item>(items: Iterable<Item>, work: (item: Item) => Steps<void> | void): Steps<void> {
  let index = 0;
  for (const item of items) {
    const steps = work(item);
    if (steps !== undefined) yield* steps;
    if (isHeavyStop(index++)) yield;
  }
}

/** What `Array.prototype.map` gives. */
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

/** What `Array.prototype.flatMap` gives. */
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

/** What `Array.prototype.filter` gives. */
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

/** Each is an argument of a call, and the stack has no room for all lists of a large text. */
const LISTS_AT_ONCE = 4_096;

/** Adds to a list what is in another one, however much that is. */
export function append<Item>(list: Item[], more: Iterable<Item>): void {
  for (const item of more) list.push(item);
}

/** All of some lists, one behind the other: copied in few goes, which take milliseconds for millions of things. */
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
 * What `Array.prototype.toSorted` gives. Takes what is in order already as it finds it: one look for a list in order, one
 * merge for two lists that were put one behind the other. A natural merge sort (Knuth, The Art of Computer Programming,
 * volume 3, 5.2.4).
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

/** The parts of a list that are in order, as long as they go; where they are short, so many things put in order. */
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

/** Of equal ones those on the left come first. */
function* mergedRuns<Item>(
  left: readonly Item[],
  right: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Steps<readonly Item[]> {
  // Short lists behind one another often do not overlap.
  if (compare(left.at(-1)!, right[0]!) <= 0) return left.concat(right);
  const merged: Item[] = [];
  let [a, b] = [0, 0];
  while (a < left.length && b < right.length) {
    merged.push(compare(left[a]!, right[b]!) <= 0 ? left[a++]! : right[b++]!);
    if (merged.length % THINGS_BETWEEN_STOPS === 0) yield;
  }
  return merged.concat(left.slice(a), right.slice(b));
}
