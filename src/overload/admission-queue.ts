import { FairQueue } from './fair-queue.js';

export interface AdmissionLimits {
  /** The minimum number of calls in progress, even on a slow machine. */
  readonly least: number;
  readonly most: number;
  /** The limit shrinks while the delay of the event loop exceeds this value; it grows while the delay is within it and calls wait. */
  readonly targetDelayMs: number;
  /** A call that is expected to wait longer than this is refused at once; a call that has waited longer is refused at that time. */
  readonly longestWaitMs: number;
}

/** The load of the event loop since the previous measurement. */
export interface LoopLoad {
  /** Average delay of timers. */
  readonly delayMs: number;
  /** The share of the time in which the event loop was busy: 0 to 1. */
  readonly utilization: number;
}

/** A caller that asks for admission. Exactly one of `admit` and `refuse` is called, unless the caller withdraws. */
export interface QueuedCaller {
  /** The path by which callers take turns: account, key. */
  readonly party: readonly string[];
  admit(): void;
  /** @param afterMs when to try again */
  refuse(afterMs: number): void;
}

interface Holder {
  readonly names: Names;
  places: number;
}

/** The names of a party's account and of its key: see `namesOf`. */
type Names = readonly string[];

interface Waiting {
  readonly applicant: QueuedCaller;
  readonly sinceMs: number;
}

const FIRST_LIMIT = 32;
const SHRINK = 0.9;
/** The fraction by which the limit grows at a tick, and the weight of a new sample in the average duration. */
const STEP = 1 / 16;

/**
 * While others call, the party with most of the calls may keep the event loop busy for this share of the time at most: a call that
 * arrives at a loop that is 70% busy waits about as long as it takes itself; at 90%, four times as long.
 */
const BUSY_BESIDE_OTHERS = 0.7;
/** A party with a larger share of all calls has most of them. */
const MOST_CALLS = 2 / 3;
/** Maximum number of parties whose average duration is kept. */
const KNOWN_PARTIES = 4_096;
/** The factor by which a party's count of calls decays at each tick: half of the count comes from the last two thirds of a second. */
const KEPT = 0.9;
/** A party whose count is below this has not called for some seconds. */
const GONE = 0.05;
/** An event loop that is busier than this has a backlog: places are halved until it is idle at times. */
const NEVER_IDLE = 0.95;
const HALF = 0.5;

/**
 * The share of all places that an account leaves to others, and the share of its account's places that a key leaves; at least one
 * place. Small for accounts, since an installation may have only one.
 */
const LEFT_TO_OTHERS = [1 / 16, 1 / 4];

/**
 * Admits as many calls at once as keep the event loop on time. The others wait and take turns: the number of calls of one party does
 * not delay another. No party can have all places: a caller finds one while another party's long calls run. The time is an argument, so
 * the same events always have the same result.
 */
export class AdmissionQueue {
  private readonly queue = new FairQueue<Waiting>();
  private limitNow: number;
  private inside = 0;
  /** Places in use, by the name of an account or key. */
  private readonly held = new Map<string, Holder>();
  /** Whether a party has more places than its share, because the limit was higher when its calls were admitted. */
  private isAnyoneOver = false;
  /** Average duration of all calls, and of each party's calls: the long calls of others do not count for a party with short ones. */
  private meanMs = 0;
  private readonly meansMs = new Map<string, number>();
  private wasFull = false;
  /** Decaying counts of recent calls: a map of accounts, then a map of keys. */
  private readonly made: Map<string, number>[] = [];
  /** The party with most of these calls while others call, and the places it may have now. */
  private loudest: { readonly name: string; places: number } | undefined;

  constructor(private readonly limits: AdmissionLimits) {
    this.limitNow = Math.min(Math.max(FIRST_LIMIT, limits.least), limits.most);
  }

  get state(): { readonly limit: number; readonly running: number; readonly waiting: number } {
    return { limit: Math.floor(this.limitNow), running: this.inside, waiting: this.queue.size };
  }

  /**
   * Admits a call that need not wait. A call that has to wait is not counted until it is passed to `ask`.
   * @returns whether the call is admitted
   */
  admitNow(party: readonly string[]): boolean {
    const names = namesOf(party);
    if (!this.isFree(names)) return false;
    this.note(names);
    this.enter(names);
    return true;
  }

  /** Admits or refuses the caller, or lets it wait. */
  ask(applicant: QueuedCaller, nowMs: number): void {
    const names = namesOf(applicant.party);
    this.note(names);
    if (this.isFree(names)) return this.admit(applicant, names);
    const expectedMs = this.expectedMs(applicant.party, names);
    if (expectedMs > this.limits.longestWaitMs) return applicant.refuse(expectedMs);
    this.queue.push(applicant.party, { applicant, sinceMs: nowMs });
    this.letIn(nowMs);
  }

  /** Removes a waiting caller from the queue. @returns whether it was waiting */
  withdraw(applicant: QueuedCaller): boolean {
    return this.queue.removeAll((waiting) => waiting.applicant === applicant).length > 0;
  }

  /** Whether calls wait: while none does, none is refused. */
  get isBusy(): boolean {
    return this.queue.size > 0;
  }

  /**
   * Whether a call of this party would be refused now. A refused call is counted as if it had been passed to `ask`.
   * @returns milliseconds until a retry; undefined if the call may ask
   */
  refusalOf(party: readonly string[]): number | undefined {
    const names = namesOf(party);
    const expectedMs = this.expectedMs(party, names);
    if (expectedMs <= this.limits.longestWaitMs) return undefined;
    this.note(names);
    return expectedMs;
  }

  /** Frees the place of an admitted call that has ended. */
  leave(party: readonly string[], tookMs: number, nowMs: number): void {
    const names = namesOf(party);
    this.inside--;
    this.count(names, -1);
    this.meanMs = averaged(this.meanMs, tookMs);
    this.remember(ownOf(names), tookMs);
    this.letIn(nowMs);
  }

  /** Called about every 100 ms with the load of the event loop since the previous tick. */
  tick(load: LoopLoad, nowMs: number): void {
    const { least, most, targetDelayMs, longestWaitMs } = this.limits;
    if (load.delayMs > targetDelayMs) this.limitNow = Math.max(least, this.limitNow * SHRINK);
    else if (this.wasFull && this.loudest === undefined)
      this.limitNow = Math.min(most, this.limitNow + Math.max(1, this.limitNow * STEP));
    this.wasFull = this.queue.size > 0;
    this.findLoudest();
    this.quieten(load.utilization);
    this.isAnyoneOver = [...this.held.values()].some(({ names, places }) => places > this.shareOf(names));
    const late = this.queue.removeAll(({ sinceMs }) => nowMs - sinceMs > longestWaitMs);
    for (const { applicant } of late) applicant.refuse(longestWaitMs);
    this.letIn(nowMs);
  }

  private remember(name: string, tookMs: number): void {
    const meanMs = averaged(this.meansMs.get(name) ?? 0, tookMs);
    // Re-inserted at the end: the first entry is the least recently updated one, which is deleted.
    this.meansMs.delete(name);
    this.meansMs.set(name, meanMs);
    if (this.meansMs.size > KNOWN_PARTIES)
      for (const oldest of this.meansMs.keys()) return void this.meansMs.delete(oldest);
  }

  private note(names: Names): void {
    for (let level = 0; level < names.length; level++) {
      const made = (this.made[level] ??= new Map());
      const name = names[level]!;
      made.set(name, (made.get(name) ?? 0) + 1);
    }
  }

  /** Checks accounts before keys: an account that spreads its calls over many keys counts as one party. */
  private findLoudest(): void {
    let found: string | undefined;
    for (const made of this.made) {
      let all = 0;
      for (const count of made.values()) all += count;
      const hasOthers = made.size > 1;
      for (const [name, count] of made) {
        if (hasOthers && count > all * MOST_CALLS) found ??= name;
        if (count * KEPT < GONE) made.delete(name);
        else made.set(name, count * KEPT);
      }
    }
    if (found === this.loudest?.name) return;
    this.loudest = found === undefined ? undefined : { name: found, places: this.limitNow };
  }

  /** Gives the party with most calls fewer places while it leaves too little time to others, and more otherwise. */
  private quieten(utilization: number): void {
    const { loudest } = this;
    if (loudest === undefined) return;
    const has = this.held.get(loudest.name)?.places ?? 0;
    const part = utilization > NEVER_IDLE ? HALF : SHRINK;
    if (utilization > BUSY_BESIDE_OTHERS) loudest.places = Math.max(1, Math.min(loudest.places, has + 1) * part);
    else if (has >= Math.floor(loudest.places)) loudest.places = Math.min(this.limitNow, loudest.places + 1);
  }

  /**
   * Expected wait of a call of this party: the party's own waiting calls come first, in turn with waiting calls of other parties. Assumes
   * that calls of other parties take as long as calls of this party: longer calls cannot have all places, and a call that does wait too
   * long is refused at that time.
   */
  private expectedMs(party: readonly string[], names: Names): number {
    const ahead = Math.min(this.queue.size, this.queue.sizeOf(party) * Math.max(1, this.queue.parties));
    const all = Math.max(1, Math.floor(this.limitNow));
    const meanMs = this.meansMs.get(ownOf(names)) ?? this.meanMs;
    return Math.max(ahead / all, this.queue.sizeOf(party) / this.shareOf(names)) * meanMs;
  }

  /** How many places a party may have at once. */
  private shareOf(names: Names): number {
    let share = Math.floor(this.limitNow);
    for (let level = 0; level < names.length; level++) share = this.shareWithin(share, level, names[level]!);
    return share;
  }

  /** How many of the `above` places of the parent an account or key may have. */
  private shareWithin(above: number, level: number, name: string): number {
    const share = Math.max(1, above - Math.max(1, Math.floor(above * (LEFT_TO_OTHERS[level] ?? 0))));
    const { loudest } = this;
    return loudest?.name === name ? Math.min(share, Math.floor(loudest.places)) : share;
  }

  private count(names: Names, change: 1 | -1): void {
    for (let level = 0; level < names.length; level++) {
      const name = names[level]!;
      const holder = this.held.get(name);
      const places = (holder?.places ?? 0) + change;
      if (places <= 0) this.held.delete(name);
      else if (holder === undefined) this.held.set(name, { names: names.slice(0, level + 1), places });
      else holder.places = places;
    }
  }

  /**
   * Places that count against others, by name; the total under `NOBODY`. Places beyond a party's share do not count: otherwise long
   * calls of one key, admitted while the limit was high, would block all others until they end.
   * @returns undefined if no party exceeds its share: then all places in `held` count, and the total is `inside`
   */
  private countedPlaces(): ReadonlyMap<string, number> | undefined {
    if (!this.isAnyoneOver) return undefined;
    const counted = new Map<string, number>();
    const holders = [...this.held].sort(([, a], [, b]) => b.names.length - a.names.length);
    for (const [name, { names, places }] of holders) {
      const own = Math.min(counted.get(name) ?? places, this.shareOf(names));
      counted.set(name, own);
      const above = names.at(-2) ?? NOBODY;
      counted.set(above, (counted.get(above) ?? 0) + own);
    }
    return counted;
  }

  /** Admits waiting calls while places are free. A call that has waited too long is refused: its answer would come too late. */
  private letIn(nowMs: number): void {
    while (this.queue.size > 0) {
      const counted = this.countedPlaces();
      if (!this.hasRoom(counted)) break;
      const next = this.queue.shift((path) => this.isBelowShare(counted, namesOf(path)));
      if (next === undefined) break;
      if (nowMs - next.sinceMs > this.limits.longestWaitMs) {
        next.applicant.refuse(this.limits.longestWaitMs);
        continue;
      }
      this.admit(next.applicant, namesOf(next.applicant.party));
    }
    this.wasFull ||= this.queue.size > 0;
  }

  private admit(applicant: QueuedCaller, names: Names): void {
    this.enter(names);
    applicant.admit();
  }

  private enter(names: Names): void {
    this.inside++;
    this.count(names, 1);
  }

  /** Whether a call of a party is admitted at once: with an empty queue there are no turns to wait for. */
  private isFree(names: Names): boolean {
    return this.queue.size === 0 && this.hasPlace(this.countedPlaces(), names);
  }

  /** Whether a place is free for a party, within the shares of its account and of its key. */
  private hasPlace(counted: ReadonlyMap<string, number> | undefined, names: Names): boolean {
    if (!this.hasRoom(counted)) return false;
    let share = Math.floor(this.limitNow);
    for (let level = 0; level < names.length; level++) {
      const name = names[level]!;
      share = this.shareWithin(share, level, name);
      if (this.placesOf(counted, name) >= share) return false;
    }
    return true;
  }

  private hasRoom(counted: ReadonlyMap<string, number> | undefined): boolean {
    return (counted === undefined ? this.inside : (counted.get(NOBODY) ?? this.inside)) < Math.floor(this.limitNow);
  }

  private isBelowShare(counted: ReadonlyMap<string, number> | undefined, names: Names): boolean {
    return this.placesOf(counted, ownOf(names)) < this.shareOf(names);
  }

  private placesOf(counted: ReadonlyMap<string, number> | undefined, name: string): number {
    return (counted === undefined ? this.held.get(name)?.places : counted.get(name)) ?? 0;
  }
}

function averaged(meanMs: number, tookMs: number): number {
  return meanMs === 0 ? tookMs : meanMs + (tookMs - meanMs) * STEP;
}

/** A name for each prefix of a path such as account, then key, separated by null characters, which no id contains. */
function namesOf(party: readonly string[]): Names {
  const names: string[] = [];
  let name = NOBODY;
  for (const each of party) names.push((name += `\0${each}`));
  return names;
}

function ownOf(names: Names): string {
  return names.at(-1) ?? NOBODY;
}

/** The parent of all parties. */
const NOBODY = '';
