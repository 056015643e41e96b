import { inContextAt, LONGEST_WORD, underKey, VALIDATOR_LOOK, type Reading } from './pattern-set.js';
import type { Compiled, CompiledFinder, CompiledPattern } from './compiled-pattern.js';
import { MayGoOn, OpenShapes } from './may-go-on.js';
import { unfinishedMatch } from './partial-regex.js';
import { wordHead } from './word-head.js';
import { startsFrom, TOKEN_LOOK, type StartsOfTail } from './token-starts.js';

/** What may still change in a text that goes on. Both are the text's length when nothing can. */
export interface Undecided {
  /** Patterns tried before this have come to their final answer. */
  readonly attempt: number;
  /** No finding that is missing, or may go again, begins before this. */
  readonly start: number;
}

/** `ascii`: patterns to which all letters beyond ASCII are the same. */
export type PatternsOf = 'all' | 'ascii' | 'others';

/** Tells for each pattern of a set from where on it is undecided. Made once per set. */
export class UndecidedPlaces<Code extends string> {
  /** Made when they are first wanted: most patterns never are. */
  private readonly unfinished = new Map<CompiledPattern<Code>, RegExp>();
  private readonly mayGoOn = new MayGoOn();
  /** Beginnings of literals, in lower case, with the patterns that they may start. */
  private readonly prefixes = new Map<string, Set<number>>();
  private readonly longestLiteral: number;

  /** How far from its start each pattern can look to the right. */
  private readonly looks: readonly number[];
  /** Patterns that are tried where tokens start, and those that no literal and no token has to announce. */
  private readonly byToken: readonly (readonly [keyof StartsOfTail, readonly number[]])[];
  private readonly anywhere: readonly number[];
  /** For patterns that are tried some way before their literals. */
  private readonly windows: readonly (Window | undefined)[];
  private readonly isOfAscii: readonly boolean[];
  /** The pattern that decided last time: a word that goes on is mostly kept open by the same one. */
  private lastHolder: number | undefined;

  constructor(private readonly compiled: readonly Compiled<Code>[]) {
    let longest = 0;
    this.looks = compiled.map(lookOf);
    this.windows = compiled.map(windowOf);
    this.isOfAscii = compiled.map(isOfAscii);
    for (const [owner, one] of compiled.entries()) {
      const { trigger } = one.pattern;
      if (trigger.on !== 'literals') continue;
      for (const literal of trigger.literals) {
        longest = Math.max(longest, literal.length);
        for (let length = 1; length < literal.length; length++) this.mayStart(literal.slice(0, length), owner);
      }
    }
    this.longestLiteral = longest;
    const owners = [...compiled.keys()];
    const kinds = new Set(compiled.map(({ tokens }) => tokens).filter((kind) => kind !== undefined));
    this.byToken = [...kinds].map(
      (kind) => [kind, owners.filter((owner) => compiled[owner]!.tokens === kind)] as const,
    );
    this.anywhere = owners.filter(
      (owner) => compiled[owner]!.tokens === undefined && !waitsForLiteral(compiled[owner]!),
    );
  }

  /** Whether all letters beyond ASCII are the same to all patterns of these codes. */
  areOfAscii(codes: ReadonlySet<Code>): boolean {
    return this.compiled.every(({ pattern }, owner) => this.isOfAscii[owner] === true || !codes.has(pattern.code));
  }

  /** Looks at patterns of all codes, and at those of `codes` alone. */
  in(
    reading: Reading,
    codes: ReadonlySet<Code>,
    of: PatternsOf = 'all',
  ): { readonly any: Undecided; readonly ofCodes: Undecided } {
    const { length } = reading.text;
    const tail: Tail = {
      reading,
      begun: this.begunLiterals(reading),
      tokens: startsFrom(reading.text, reading.from),
      shapes: new OpenShapes(reading.text),
      lower: undefined,
    };
    let any: Undecided = { attempt: length, start: length };
    let ofCodes = any;
    const look = (owner: number): void => {
      if (of !== 'all' && this.isOfAscii[owner] !== (of === 'ascii')) return;
      const one = this.compiled[owner]!;
      const counts = codes.has(one.pattern.code);
      // Only what is earlier than all that was found before makes a difference.
      const known = counts ? ofCodes : any;
      const found = this.ofPattern(one, owner, tail, Math.max(known.attempt, known.start));
      if (found === undefined) return;
      if (found.attempt <= reading.from) this.lastHolder = owner;
      any = earlier(any, found);
      if (counts) ofCodes = earlier(ofCodes, found);
    };
    if (this.lastHolder !== undefined) this.again(this.lastHolder, tail, look);
    this.anywhere.forEach(look);
    for (const [kind, owners] of this.byToken) if (tail.tokens[kind].length > 0) owners.forEach(look);
    // Sparse: only patterns whose literal is there, or has begun.
    reading.literals.forEach((_starts, owner) => look(owner));
    for (const owner of tail.begun.keys()) if (reading.literals[owner] === undefined) look(owner);
    return { any, ofCodes };
  }

  /** Looks at a pattern before all others, when it would be looked at anyway. */
  private again(owner: number, { reading, tokens, begun }: Tail, look: (owner: number) => void): void {
    const kind = this.compiled[owner]!.tokens;
    const isDue = kind === undefined ? !waitsForLiteral(this.compiled[owner]!) : tokens[kind].length > 0;
    if (isDue || reading.literals[owner] !== undefined || begun.has(owner)) look(owner);
  }

  private mayStart(prefix: string, owner: number): void {
    const key = prefix.toLowerCase();
    const known = this.prefixes.get(key);
    if (known === undefined) this.prefixes.set(key, new Set([owner]));
    else known.add(owner);
  }

  /** Where a literal of a pattern may have begun without being complete, the earliest place of each pattern. */
  private begunLiterals({ text, from }: Reading): Map<number, number[]> {
    const begun = new Map<number, number[]>();
    const tail = text.slice(Math.max(from, text.length - this.longestLiteral + 1)).toLowerCase();
    for (let at = 0; at < tail.length; at++) {
      for (const owner of this.prefixes.get(tail.slice(at)) ?? []) {
        const places = begun.get(owner);
        const place = text.length - tail.length + at;
        if (places === undefined) begun.set(owner, [place]);
        else places.push(place);
      }
    }
    return begun;
  }

  /** @param bound places from here on make no difference */
  private ofPattern(one: Compiled<Code>, owner: number, tail: Tail, bound: number): Undecided | undefined {
    const { reading, tokens, begun } = tail;
    const { text, from } = reading;
    if (one.regex === undefined) return this.ofFinder(one, owner, tail);
    const look = this.looks[owner]!;
    const lowest = Math.max(from, text.length - look, 0);
    if (lowest >= bound) return undefined;
    const ranges = rangesOf(one, this.windows[owner], tail, lowest);
    if (ranges !== undefined) return this.inRanges(one, ranges, tail, lowest, bound);
    const places = one.tokens === undefined ? placesOf(reading.literals[owner], begun.get(owner)) : tokens[one.tokens];
    let attempt = Infinity;
    let start = Infinity;
    for (const place of places) {
      if (place < lowest || place >= bound || place >= start || !this.mayChange(one, place, tail)) continue;
      attempt = Math.min(attempt, place);
      start = Math.min(start, startOf(one, place, text));
    }
    return attempt === Infinity ? undefined : { attempt, start };
  }

  private ofFinder(one: CompiledFinder<Code>, owner: number, tail: Tail): Undecided | undefined {
    const { reading, tokens, begun } = tail;
    const { text, from } = reading;
    if (one.pattern.undecided !== undefined) {
      const start = one.pattern.undecided(text);
      return start < text.length ? { attempt: Math.max(start, from), start } : undefined;
    }
    const lowest = Math.max(from, text.length - this.looks[owner]!);
    const places = one.tokens === undefined ? placesOf(reading.literals[owner], begun.get(owner)) : tokens[one.tokens];
    const tried = places.filter((place) => place >= lowest).reduce((first, place) => Math.min(first, place), Infinity);
    // What it finds may begin to the left of a literal that is still to come.
    if (tried === Infinity && one.tokens !== undefined) return undefined;
    const attempt = Math.min(tried, text.length);
    return { attempt, start: attempt - one.pattern.behind };
  }

  private unfinishedOf(one: CompiledPattern<Code>): RegExp {
    let unfinished = this.unfinished.get(one);
    if (unfinished === undefined) {
      unfinished = unfinishedMatch(one.pattern.regex, one.regex.sticky);
      this.unfinished.set(one, unfinished);
    }
    return unfinished;
  }

  private mayChange(one: CompiledPattern<Code>, place: number, { reading, shapes }: Tail): boolean {
    const { text } = reading;
    // What stands before a place stands.
    if (one.onlyInContext && !inContextAt(one, place, reading)) return false;
    if (!this.mayGoOn.at(one.pattern.regex, place, shapes)) return false;
    const unfinished = this.unfinishedOf(one);
    unfinished.lastIndex = place;
    const match = unfinished.exec(text);
    return match !== null && match.index === place && this.sees(one, match, text);
  }

  /** Whether the end of the text is near enough to a match to bear on it, or ran out before there was one. */
  private sees(one: CompiledPattern<Code>, match: RegExpExecArray, text: string): boolean {
    const end = match.index + match[0].length;
    const counted = one.tokens === undefined ? 0 : match.index + TOKEN_LOOK;
    // A mark that follows belongs to the last character of a match.
    return end >= text.length || Math.max(end + beyondOf(one), counted) > text.length;
  }

  /** For patterns that are tried at every place of some ranges, from `lowest` to before `bound`. */
  private inRanges(
    one: CompiledPattern<Code>,
    ranges: readonly (readonly [from: number, to: number])[],
    { reading: { text }, shapes }: Tail,
    lowest: number,
    bound: number,
  ): Undecided | undefined {
    const end = Math.min(bound, text.length);
    let attempt = end;
    let start = Infinity;
    for (const [from, to] of ranges) {
      const first = this.firstThatMayGoOn(one, Math.max(from, lowest), Math.min(to, end - 1), shapes);
      if (first === undefined) continue;
      const unfinished = this.unfinishedOf(one);
      unfinished.lastIndex = first;
      for (let match = unfinished.exec(text); match !== null; match = unfinished.exec(text)) {
        if (match.index > to || match.index >= end || match.index >= start) break;
        if (this.sees(one, match, text)) {
          attempt = Math.min(attempt, match.index);
          start = Math.min(start, startOf(one, match.index, text));
        }
        unfinished.lastIndex = match.index + 1;
      }
    }
    return attempt >= end ? undefined : { attempt, start };
  }

  /** The first place of a range where a pattern may match at all; that of a long range is left to its expression. */
  private firstThatMayGoOn(
    { pattern }: CompiledPattern<Code>,
    first: number,
    last: number,
    shapes: OpenShapes,
  ): number | undefined {
    if (last - first >= LONG_RANGE) return first;
    for (let place = first; place <= last; place++) if (this.mayGoOn.at(pattern.regex, place, shapes)) return place;
    return undefined;
  }
}

/** Classes and literals that list no letters beyond ASCII take all of them or none. */
function isOfAscii<Code extends string>({ regex, pattern: { trigger } }: Compiled<Code>): boolean {
  if (regex === undefined || /[uv]/.test(regex.flags)) return false;
  const literals = trigger.on === 'literals' ? trigger.literals.join('') : '';
  return /^[\x00-\x7f]*$/.test(regex.source + literals) && !/\\(?:[pPu]|x[89a-f])/i.test(regex.source);
}

/** Where a finding of a pattern begins, at least, that is tried at a place. */
function startOf<Code extends string>({ pattern, lead }: CompiledPattern<Code>, place: number, text: string): number {
  return place + (pattern.sparesWords === undefined ? lead : wordHead(text, place, pattern.sparesWords));
}

/** More places than this are not looked at one by one. */
const LONG_RANGE = 64;

/** The end of a text that goes on, and what all patterns ask of it. */
interface Tail {
  readonly reading: Reading;
  readonly begun: ReadonlyMap<number, readonly number[]>;
  readonly tokens: StartsOfTail;
  readonly shapes: OpenShapes;
  /** The text in lower case, when it was wanted. */
  lower: string | undefined;
}

/** How far before its literals, in lower case, a pattern is tried. */
interface Window {
  readonly before: number;
  readonly literals: readonly string[];
  readonly longest: number;
}

function windowOf<Code extends string>({ regex, pattern: { trigger } }: Compiled<Code>): Window | undefined {
  if (regex === undefined || trigger.on !== 'literals' || (trigger.before ?? 0) === 0) return undefined;
  const literals = trigger.literals.map((literal) => literal.toLowerCase());
  return { before: trigger.before ?? 0, literals, longest: Math.max(...trigger.literals.map(({ length }) => length)) };
}

/** Whether a pattern is tried only where one of its literals begins. */
function waitsForLiteral<Code extends string>({ regex, pattern }: Compiled<Code>): boolean {
  return regex !== undefined && pattern.trigger.on === 'literals' && (pattern.trigger.before ?? 0) === 0;
}

const NONE: readonly number[] = [];

function placesOf(complete: readonly number[] | undefined, begun: readonly number[] | undefined): readonly number[] {
  if (begun === undefined) return complete ?? NONE;
  return complete === undefined ? begun : [...complete, ...begun];
}

/** Places from `from` to `to` where a pattern is tried, for one that is not tried at single places only. */
function rangesOf<Code extends string>(
  one: CompiledPattern<Code>,
  window: Window | undefined,
  tail: Tail,
  lowest: number,
): readonly (readonly [from: number, to: number])[] | undefined {
  const { trigger } = one.pattern;
  const { reading } = tail;
  const end = reading.text.length;
  if (trigger.on === 'text') return [[0, end]];
  if (trigger.on === 'context') {
    if (underKey(one, reading)) return [[0, end]];
    return (reading.ends[one.contextGroup] ?? NONE).map((word) => [word, word + one.contextUnits] as const);
  }
  if (window === undefined) return undefined;
  const { before, longest } = window;
  const seen = literalPlaces(window, tail, lowest);
  // Its literal may come later, this far behind the start.
  return [[end - before - longest + 1, end], ...seen.map((at) => [at - before, at] as const)];
}

/** Where literals stand; those before `lowest` announce nothing from there on. */
function literalPlaces({ literals }: Window, tail: Tail, lowest: number): number[] {
  const { text } = tail.reading;
  tail.lower ??= text.toLowerCase();
  // A letter may be two in lower case: then places are counted from the end, as near as can be.
  const shift = text.length - tail.lower.length;
  const places: number[] = [];
  for (const literal of literals) {
    const from = Math.max(0, lowest - Math.abs(shift));
    for (let at = tail.lower.indexOf(literal, from); at >= 0; at = tail.lower.indexOf(literal, at + 1)) {
      places.push(at, ...(shift === 0 ? [] : [at + shift]));
    }
  }
  return places;
}

/** How far from its start a pattern, with all that looks at its match, can look to the right. */
function lookOf<Code extends string>(one: Compiled<Code>): number {
  if (one.regex === undefined) return Math.max(one.pattern.maxLength, one.tokens === undefined ? 0 : TOKEN_LOOK);
  const counted = one.tokens === undefined ? LONGEST_WORD : TOKEN_LOOK;
  return Math.max(one.extent.maxLength + beyondOf(one), counted);
}

function beyondOf<Code extends string>({ extent, pattern }: CompiledPattern<Code>): number {
  return Math.max(extent.beyond, pattern.validate === undefined ? 0 : VALIDATOR_LOOK);
}

function earlier(a: Undecided, b: Undecided): Undecided {
  return { attempt: Math.min(a.attempt, b.attempt), start: Math.min(a.start, b.start) };
}
