/**
 * Work on as many things as a call may hold takes longer than others should wait. Written as a generator that stops every
 * few hundred things, the same work can be done at once, or in turns with everything else that waits.
 */
export type Steps<Result> = Generator<void, Result, void>;

/** How long work may go on before others have their turn. Core has no clock: the host says. */
export interface Turns {
  nowMs(): number;
  /** Lets others go first. */
  pause(): Promise<void>;
}

/** So many things are done between two stops: less than a millisecond's work. */
export const THINGS_BETWEEN_STOPS = 256;
/** Others wait so long for their turn. */
const TURN_MS = 8;

/** Does all of it now. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Does all of it, in turns with others. */
export async function inTurns<Result>(steps: Steps<Result>, turns: Turns): Promise<Result> {
  let sinceMs = turns.nowMs();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (turns.nowMs() - sinceMs < TURN_MS) continue;
    await turns.pause();
    sinceMs = turns.nowMs();
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
    if (index % THINGS_BETWEEN_STOPS === 0) yield;
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
      if (results.length % THINGS_BETWEEN_STOPS === 0) yield;
    }
    if (index % THINGS_BETWEEN_STOPS === 0) yield;
  }
  return results;
}

/** What `Array.prototype.filter` gives. */
export function* filtered<Item>(items: readonly Item[], test: (item: Item) => boolean): Steps<Item[]> {
  const results: Item[] = [];
  for (let index = 0; index < items.length; index++) {
    const item = items[index]!;
    if (test(item)) results.push(item);
    if (index % THINGS_BETWEEN_STOPS === 0) yield;
  }
  return results;
}

/** All of some lists, one behind the other. */
export function* joinedLists<Item>(lists: readonly (readonly Item[])[]): Steps<readonly Item[]> {
  const filled = lists.filter(({ length }) => length > 0);
  if (filled.length === 1) return filled[0]!;
  const all: Item[] = [];
  for (const list of filled) {
    for (let from = 0; from < list.length; from += THINGS_BETWEEN_STOPS) {
      all.push(...list.slice(from, from + THINGS_BETWEEN_STOPS));
      yield;
    }
  }
  return all;
}

/** What `Array.prototype.toSorted` gives; quickest for what is in order already. */
export function* sorted<Item>(items: readonly Item[], compare: (a: Item, b: Item) => number): Steps<readonly Item[]> {
  let runs: Item[][] = [];
  let inOrder = true;
  for (let from = 0; from < items.length; from += THINGS_BETWEEN_STOPS) {
    const run = items.slice(from, from + THINGS_BETWEEN_STOPS).sort(compare);
    inOrder &&= from === 0 || compare(runs.at(-1)!.at(-1)!, run[0]!) <= 0;
    runs.push(run);
    yield;
  }
  if (inOrder) return yield* joinedLists(runs);
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      const [left, right] = [runs[index]!, runs[index + 1]];
      merged.push(right === undefined ? left : yield* mergedRuns(left, right, compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Of equal ones those on the left come first. */
function* mergedRuns<Item>(
  left: readonly Item[],
  right: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Steps<Item[]> {
  const merged: Item[] = [];
  let [a, b] = [0, 0];
  while (a < left.length || b < right.length) {
    const takesLeft = b >= right.length || (a < left.length && compare(left[a]!, right[b]!) <= 0);
    merged.push(takesLeft ? left[a++]! : right[b++]!);
    if (merged.length % THINGS_BETWEEN_STOPS === 0) yield;
  }
  return merged;
}
