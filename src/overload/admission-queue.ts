import { FairQueue } from './fair-queue.js';

export interface AdmissionLimits {
  /** The minimum number of calls in progress, even on a slow machine. */
  readonly least: number;
  readonly most: number;
  /** The limit shrinks while the event loop is later than this, and grows while it is not and calls wait. */
  readonly targetDelayMs: number;
  /** A call that would wait longer is refused at once; one that has waited longer is refused then. */
  readonly longestWaitMs: number;
}

/** How busy the event loop was since it was last asked. */
export interface LoopLoad {
  /** How late timers were on average. */
  readonly delayMs: number;
  /** The part of the time in which it was at work: 0 to 1. */
  readonly utilization: number;
}

/** Somebody who wants in. Exactly one of the two is called. */
export interface QueuedCaller {
  /** Who takes turns: account, key. */
  readonly party: readonly string[];
  admit(): void;
  /** @param afterMs when to try again */
  refuse(afterMs: number): void;
}

interface Holder {
  readonly names: Names;
  places: number;
}

/** A party's account by name, and then its key: see `namesOf`. */
type Names = readonly string[];

interface Waiting {
  readonly applicant: QueuedCaller;
  readonly sinceMs: number;
}

const FIRST_LIMIT = 32;
const SHRINK = 0.9;
/** The part by which a limit grows each time, and what a new sample counts in the average of durations. */
const STEP = 1 / 16;

/**
 * While others call as well, whoever has most of the calls leaves so much of the event loop's time idle: a call that comes to a
 * loop that is busy for seven tenths waits about as long as it takes itself; behind nine tenths, four times as long.
 */
const BUSY_BESIDE_OTHERS = 0.7;
/** A key with a larger part of all calls has most of them. */
const MOST_CALLS = 2 / 3;
/** Parties whose average is kept. */
const KNOWN_PARTIES = 4_096;
/** Of the count of somebody's calls, this part is kept at each tick: half of it comes from the last two thirds of a second. */
const KEPT = 0.9;
/** Whose count is below this has not called for some seconds. */
const GONE = 0.05;
/** A loop that is never idle has a backlog: places are halved until it has some time left. */
const NEVER_IDLE = 0.95;
const HALF = 0.5;

/**
 * What of the places an account leaves to others, and a key of what its account may have: one place at least. Small for
 * accounts, since an installation may have one only.
 */
const LEFT_TO_OTHERS = [1 / 16, 1 / 4];

/**
 * Lets so many calls in at once as keep the event loop on time, and the others wait, taking turns: however much somebody
 * asks for, nobody else waits longer for it. Nobody has all places: whoever comes while somebody's long calls are at work
 * finds one. Time is told to it, so that it does the same again for the same events.
 */
export class AdmissionQueue {
  private readonly queue = new FairQueue<Waiting>();
  private limitNow: number;
  private inside = 0;
  /** Places by who has them, accounts and keys. */
  private readonly held = new Map<string, Holder>();
  /** Whether somebody has more places than their share: there were more when they came. */
  private isAnyoneOver = false;
  /** How long calls took on average, and those of single parties: who makes short calls is not judged by the long ones of others. */
  private meanMs = 0;
  private readonly meansMs = new Map<string, number>();
  private wasFull = false;
  /** Calls of late by who made them, accounts and then keys; older ones count less. */
  private readonly made: Map<string, number>[] = [];
  /** Who has most of these calls while others call, and how many places it has now. */
  private loudest: { readonly name: string; places: number } | undefined;

  constructor(private readonly limits: AdmissionLimits) {
    this.limitNow = Math.min(Math.max(FIRST_LIMIT, limits.least), limits.most);
  }

  get state(): { readonly limit: number; readonly running: number; readonly waiting: number } {
    return { limit: Math.floor(this.limitNow), running: this.inside, waiting: this.queue.size };
  }

  /** Admits, refuses, or lets wait. */
  ask(applicant: QueuedCaller, nowMs: number): void {
    const names = namesOf(applicant.party);
    this.note(names);
    // Where nobody waits, nobody takes turns.
    if (this.queue.size === 0 && this.hasPlace(this.countedPlaces(), names)) return this.admit(applicant, names);
    const expectedMs = this.expectedMs(applicant.party, names);
    if (expectedMs > this.limits.longestWaitMs) return applicant.refuse(expectedMs);
    this.queue.push(applicant.party, { applicant, sinceMs: nowMs });
    this.letIn(nowMs);
  }

  /** Somebody who waits does so no more. @returns whether they were waiting */
  withdraw(applicant: QueuedCaller): boolean {
    return this.queue.removeAll((waiting) => waiting.applicant === applicant).length > 0;
  }

  /** Whether somebody waits: as long as nobody does, nobody is refused. */
  get isBusy(): boolean {
    return this.queue.size > 0;
  }

  /**
   * Whether a call of this party is refused now: one that is counts as made, as if it had asked.
   * @returns when to try again; undefined for a call that may ask
   */
  refusalOf(party: readonly string[]): number | undefined {
    const names = namesOf(party);
    const expectedMs = this.expectedMs(party, names);
    if (expectedMs <= this.limits.longestWaitMs) return undefined;
    this.note(names);
    return expectedMs;
  }

  /** A call of this party that was admitted is done. */
  leave(party: readonly string[], tookMs: number, nowMs: number): void {
    const names = namesOf(party);
    this.inside--;
    this.count(names, -1);
    this.meanMs = averaged(this.meanMs, tookMs);
    this.remember(ownOf(names), tookMs);
    this.letIn(nowMs);
  }

  /** Told every tenth of a second or so: how busy the event loop was since the last time. */
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
    // The one that was told last stands last: the first is the one to forget.
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

  /** An account before a key of it: whoever shares the calls out among many keys is one all the same. */
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

  /** Gives whoever has most calls fewer places while they leave too little time to the others, more while they do not. */
  private quieten(utilization: number): void {
    const { loudest } = this;
    if (loudest === undefined) return;
    const has = this.held.get(loudest.name)?.places ?? 0;
    const part = utilization > NEVER_IDLE ? HALF : SHRINK;
    if (utilization > BUSY_BESIDE_OTHERS) loudest.places = Math.max(1, Math.min(loudest.places, has + 1) * part);
    else if (has >= Math.floor(loudest.places)) loudest.places = Math.min(this.limitNow, loudest.places + 1);
  }

  /**
   * How long a call of this party would wait: until its own have had their turns, and between them those of the others. As
   * if these took as long as its own: longer ones have not all places, and whoever does wait too long is refused then.
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

  /** How many of the places of whoever stands above it. */
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
   * Places as far as they keep others out, by name, all of them under that of nobody. What somebody has beyond their share
   * keeps nobody out: long calls of one key, let in while there were many places, would hold up everybody else to their end.
   * @returns undefined where nobody has more: then `held` says it all
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

  /** Whoever has waited too long is not let in: what they would be told comes too late. */
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
    this.inside++;
    this.count(names, 1);
    applicant.admit();
  }

  /** Whether a party would find one, and whoever stands above it as well. */
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

/** A name for each step of a path such as account, then key. No id holds a null character. */
function namesOf(party: readonly string[]): Names {
  const names: string[] = [];
  let name = NOBODY;
  for (const each of party) names.push((name += `\0${each}`));
  return names;
}

function ownOf(names: Names): string {
  return names.at(-1) ?? NOBODY;
}

/** Above all parties. */
const NOBODY = '';
