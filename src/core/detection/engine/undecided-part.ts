import { BegunLiterals } from './begun-literals.js';
import { PrefixIndex } from './prefix-index.js';
import { inContextAt, LONGEST_WORD, underKey, VALIDATOR_CONTEXT, type Reading } from './pattern-set.js';
import type { Compiled, CompiledFinder, CompiledPattern } from './compiled-pattern.js';
import { leastRun, openRunAt } from './least-run.js';
import { PrefixState } from './prefix-state.js';
import { unfinishedMatch } from './partial-regex.js';
import { regexTree } from './regex-tree.js';
import { openShapeAt } from './token-shape.js';
import { startsFrom, TOKEN_LOOKAHEAD, type TokenKind } from './token-starts.js';
import { wordHead } from './word-head.js';

/** The part of a growing text that may still change. Both values are the text's length if nothing can change. */
export interface Undecided {
  /** Offset before which all tried patterns have their final result. */
  readonly attempt: number;
  /** Offset before which no finding can be added or removed. */
  readonly start: number;
}

/** The earliest undecided offsets, for all codes and for those that matter. */
export class Earliest<Code extends string> {
  any: Undecided;
  ofCodes: Undecided;

  constructor(
    length: number,
    private readonly codes: ReadonlySet<Code>,
  ) {
    this.any = { attempt: length, start: length };
    this.ofCodes = this.any;
  }

  /** Whether nothing at or after this position can be earlier than the known offsets. */
  isBefore(place: number): boolean {
    const { attempt, start } = this.ofCodes;
    return attempt <= place && start <= place;
  }

  /** Whether these offsets, for a pattern with this code, would change the result. */
  isEarlier(code: Code, attempt: number, start: number): boolean {
    // The offsets of all codes are never later than those of some codes.
    if (attempt >= this.ofCodes.attempt && start >= this.ofCodes.start) return false;
    return this.codes.has(code) || attempt < this.any.attempt || start < this.any.start;
  }

  add(code: Code, found: Undecided): void {
    this.any = earlier(this.any, found);
    if (this.codes.has(code)) this.ofCodes = earlier(this.ofCodes, found);
  }
}

/** A pattern, its number in its set, and its search parameters. */
interface Owner<Code extends string> {
  readonly one: CompiledPattern<Code>;
  readonly number: number;
  /** Maximum distance from its start that the pattern, with its lookaheads and validator, can read to the right. */
  readonly look: number;
  /** Distance from the end of the text within which the pattern is tried without a literal, because one may follow. */
  readonly expects: number;
  /** Maximum distance before its literals at which the pattern is tried. */
  readonly before: number;
  readonly beginning: RegExp;
  /** Minimum number of ASCII letters and digits at its beginning; computed on first use. */
  run: number | undefined;
  /** Created on first use; most patterns never need it. */
  unfinished: RegExp | undefined;
}

/** Patterns that share a guard for the text to the left. */
interface Guarded<Code extends string> {
  readonly guard: RegExp | undefined;
  readonly owners: readonly Owner<Code>[];
}

type ByPlace<Code extends string> = PrefixIndex<Owner<Code>, readonly Guarded<Code>[]>;

/** The end of a growing text with the results so far. */
interface Tail<Code extends string> {
  readonly reading: Reading;
  readonly earliest: Earliest<Code>;
  /** Position of the last search for words, and the length of the words found. */
  readonly head: { place: number; units: number };
}

/**
 * Determines from which offset on some patterns of a set are undecided. The patterns that may match at a position are looked up by the
 * text there, so most are never checked; patterns that could not change the result are skipped.
 */
export class UndecidedPart<Code extends string> {
  private readonly mayGoOn = new PrefixState();
  private readonly finders: { readonly one: CompiledFinder<Code>; readonly number: number }[] = [];
  /** Patterns that are tried only at their literals, or at tokens (`atTokens`). */
  private readonly atLiterals = new Map<number, Owner<Code>>();
  private readonly begun = new BegunLiterals();
  private readonly atTokens = new Map<TokenKind, ByPlace<Code>>();
  /** Patterns that are tried at every position, or within a distance before their literals. */
  private readonly anywhere: ByPlace<Code> | undefined;
  private readonly furthest: number;
  private readonly contextOwners: readonly Owner<Code>[];
  private readonly inContext: ByPlace<Code>;
  private readonly mostSpared: number;

  /** @param has whether a pattern belongs to this part */
  constructor(compiled: readonly Compiled<Code>[], has: (owner: number) => boolean) {
    const owners: Owner<Code>[] = [];
    for (const [number, one] of compiled.entries()) {
      if (!has(number)) continue;
      if (one.regex === undefined) this.finders.push({ one, number });
      else owners.push(ownerOf(one, number));
      const { trigger } = one.pattern;
      if (trigger.on !== 'literals' || isWindow(one)) continue;
      const guard = one.regex === undefined ? undefined : this.mayGoOn.guardOf(one.pattern.regex);
      this.begun.add(trigger.literals, number, guard);
    }
    const anywhere = owners.filter(({ one }) => one.pattern.trigger.on === 'text' || isWindow(one));
    this.anywhere = anywhere.length === 0 ? undefined : this.listOf(anywhere);
    this.furthest = anywhere.reduce((most, { look }) => Math.max(most, look), 0);
    this.contextOwners = owners.filter(({ one }) => one.pattern.trigger.on === 'context');
    this.inContext = this.listOf(this.contextOwners);
    for (const kind of new Set(owners.flatMap(({ one }) => one.tokens ?? [])))
      this.atTokens.set(kind, this.listOf(owners.filter(({ one }) => one.tokens === kind)));
    for (const owner of owners)
      if (owner.one.pattern.trigger.on === 'literals' && !isWindow(owner.one)) this.atLiterals.set(owner.number, owner);
    this.mostSpared = owners.reduce((most, { one }) => Math.max(most, one.pattern.sparesWords ?? 0), 0);
  }

  /** Adds the undecided offsets of a text to `earliest`. */
  look(reading: Reading, earliest: Earliest<Code>): void {
    const tail: Tail<Code> = { reading, earliest, head: { place: -1, units: 0 } };
    const { text, from } = reading;
    if (this.anywhere !== undefined) {
      for (let place = Math.max(from, text.length - this.furthest); place < text.length; place++) {
        if (earliest.isBefore(place)) break;
        this.at(place, this.anywhere, isWithinReach, tail);
      }
    }
    this.lookInContext(tail);
    if (this.atTokens.size > 0) {
      const starts = startsFrom(text, from);
      for (const [kind, list] of this.atTokens)
        for (const place of starts[kind]) if (place < text.length) this.at(place, list, isDue, tail);
    }
    this.lookAtLiterals(tail);
  }

  private lookInContext(tail: Tail<Code>): void {
    const { reading, earliest } = tail;
    const { text, from } = reading;
    if (reading.ends.length === 0 && reading.keyEnds.length === 0) return;
    let furthest = 0;
    for (const { one, look } of this.contextOwners)
      if (look > furthest && (reading.ends[one.contextGroup] !== undefined || underKey(one, reading))) furthest = look;
    for (let place = Math.max(from, text.length - furthest); place < text.length; place++) {
      if (earliest.isBefore(place)) return;
      this.at(place, this.inContext, isDueInContext, tail);
    }
  }

  private lookAtLiterals(tail: Tail<Code>): void {
    const { reading } = tail;
    const { text, from, literals } = reading;
    const begun = this.begun.in(text, from);
    const look = (owner: Owner<Code>, places: readonly number[]): void => {
      for (const place of places) {
        if (place < from || !isDue(owner, place, reading)) continue;
        if (this.isEarlier(owner, place, tail) && this.mayGoOn.at(owner.one.pattern.regex, place, text))
          this.open(owner, place, tail);
      }
    };
    // Only patterns with a literal that is complete or has begun.
    for (const found of [literals, begun]) {
      for (const [number, places] of found) {
        const owner = this.atLiterals.get(number);
        if (owner !== undefined) look(owner, places);
      }
    }
    for (const { one, number } of this.finders) this.lookForFinder(one, number, begun, tail);
  }

  /** Checks the patterns of a list that may match at a position. */
  private at(place: number, list: ByPlace<Code>, isTried: IsTried<Code>, tail: Tail<Code>): void {
    const { reading } = tail;
    const { text } = reading;
    const groups = list.atShape(openShapeAt(text, place), text.charCodeAt(place));
    if (groups.length === 0) return;
    const run = openRunAt(text, place);
    for (const { guard, owners } of groups) {
      let isGuarded = guard !== undefined;
      for (const owner of owners) {
        if ((owner.run ??= leastRun(regexTree(owner.beginning))) > run) continue;
        if (!isTried(owner, place, reading) || !this.isEarlier(owner, place, tail)) continue;
        if (guard !== undefined && isGuarded) {
          guard.lastIndex = place;
          if (!guard.test(text)) break;
          isGuarded = false;
        }
        this.open(owner, place, tail);
      }
    }
  }

  /** Whether an undecided pattern at this position would change the result. */
  private isEarlier({ one }: Owner<Code>, place: number, tail: Tail<Code>): boolean {
    return tail.earliest.isEarlier(one.pattern.code, place, this.startOf(one, place, tail));
  }

  /** Runs a pattern's partial expression, and records the position if it is undecided. */
  private open(owner: Owner<Code>, place: number, tail: Tail<Code>): void {
    const { one } = owner;
    const { text } = tail.reading;
    const unfinished = (owner.unfinished ??= unfinishedMatch(one.pattern.regex, true));
    unfinished.lastIndex = place;
    if (!unfinished.test(text) || !sees(one, place, unfinished.lastIndex, text)) return;
    tail.earliest.add(one.pattern.code, { attempt: place, start: this.startOf(one, place, tail) });
  }

  /** The earliest start of a finding of a pattern that is tried at this position. */
  private startOf({ pattern, lead }: CompiledPattern<Code>, place: number, { reading, head }: Tail<Code>): number {
    if (pattern.sparesWords === undefined) return place + lead;
    if (head.place !== place) {
      head.units = wordHead(reading.text, place, this.mostSpared);
      head.place = place;
    }
    return place + Math.min(head.units, pattern.sparesWords);
  }

  private lookForFinder(
    { pattern, tokens }: CompiledFinder<Code>,
    number: number,
    begun: ReadonlyMap<number, readonly number[]>,
    { reading, earliest }: Tail<Code>,
  ): void {
    const { text, from, literals } = reading;
    const starts = tokens === undefined ? undefined : startsFrom(text, from)[tokens];
    if (starts?.length === 0) return;
    if (pattern.undecided !== undefined) {
      const start = pattern.undecided(text);
      if (start < text.length) earliest.add(pattern.code, { attempt: Math.max(start, from), start });
      return;
    }
    const look = Math.max(pattern.maxLength, tokens === undefined ? 0 : TOKEN_LOOKAHEAD);
    const lowest = Math.max(from, text.length - look);
    const places = starts ?? [...(literals.get(number) ?? []), ...(begun.get(number) ?? [])];
    const tried = places.filter((place) => place >= lowest).reduce((first, place) => Math.min(first, place), Infinity);
    // A finding may begin to the left of a literal that has not arrived yet.
    if (tried === Infinity && tokens !== undefined) return;
    const attempt = Math.min(tried, text.length);
    earliest.add(pattern.code, { attempt, start: attempt - pattern.behind });
  }

  private listOf(owners: readonly Owner<Code>[]): ByPlace<Code> {
    return new PrefixIndex(owners, (list): readonly Guarded<Code>[] => {
      const guards = list.map(({ beginning }) => this.mayGoOn.guardOf(beginning));
      return [...new Set(guards)].map((guard) => ({ guard, owners: list.filter((_, at) => guards[at] === guard) }));
    });
  }
}

/** Whether a pattern of a list is tried at a position of a text. */
type IsTried<Code extends string> = (owner: Owner<Code>, place: number, reading: Reading) => boolean;

function isNear<Code extends string>({ look }: Owner<Code>, place: number, { text }: Reading): boolean {
  return place >= text.length - look;
}

/** Whether a pattern that is tried only at some positions may be undecided at this one. The context before the position is final. */
function isDue<Code extends string>(owner: Owner<Code>, place: number, reading: Reading): boolean {
  return isNear(owner, place, reading) && (!owner.one.onlyInContext || inContextAt(owner.one, place, reading));
}

function isDueInContext<Code extends string>(owner: Owner<Code>, place: number, reading: Reading): boolean {
  const { one } = owner;
  if (!isNear(owner, place, reading)) return false;
  if (underKey(one, reading)) return true;
  const ends = reading.ends[one.contextGroup];
  return ends?.some((end) => end <= place && place <= end + one.contextUnits) === true;
}

function isWithinReach<Code extends string>(owner: Owner<Code>, place: number, reading: Reading): boolean {
  if (!isNear(owner, place, reading)) return false;
  const { expects, before, number } = owner;
  // Its literal may still arrive within this distance after the start.
  if (place > reading.text.length - expects) return true;
  return reading.literals.get(number)?.some((at) => at - before <= place && place <= at) === true;
}

/** Whether a pattern is tried within a distance before its literals. */
function isWindow<Code extends string>({ regex, pattern: { trigger } }: Compiled<Code>): boolean {
  return regex !== undefined && trigger.on === 'literals' && (trigger.before ?? 0) > 0;
}

function ownerOf<Code extends string>(one: CompiledPattern<Code>, number: number): Owner<Code> {
  const { trigger, regex } = one.pattern;
  const before = trigger.on === 'literals' ? (trigger.before ?? 0) : 0;
  const longest = trigger.on === 'literals' ? Math.max(...trigger.literals.map(({ length }) => length)) : Infinity;
  const counted = one.tokens === undefined ? LONGEST_WORD : TOKEN_LOOKAHEAD;
  return {
    one,
    number,
    look: Math.max(one.extent.maxLength + beyondOf(one), counted),
    expects: before + longest,
    before,
    beginning: regex,
    run: undefined,
    unfinished: undefined,
  };
}

/** Whether the match ran out of text, or further text is near enough to affect it. */
function sees<Code extends string>(one: CompiledPattern<Code>, start: number, end: number, text: string): boolean {
  const counted = one.tokens === undefined ? 0 : start + TOKEN_LOOKAHEAD;
  // A following mark belongs to the last character of a match.
  return end >= text.length || Math.max(end + beyondOf(one), counted) > text.length;
}

function beyondOf<Code extends string>({ extent, pattern }: CompiledPattern<Code>): number {
  return Math.max(extent.beyond, pattern.validate === undefined ? 0 : VALIDATOR_CONTEXT);
}

function earlier(a: Undecided, b: Undecided): Undecided {
  return { attempt: Math.min(a.attempt, b.attempt), start: Math.min(a.start, b.start) };
}
