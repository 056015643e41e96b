import { inContextAt, LONGEST_WORD, underKey, VALIDATOR_LOOK, type Reading } from './pattern-set.js';
import type { Compiled, CompiledPattern } from './compiled-pattern.js';
import { MayGoOn } from './may-go-on.js';
import { unfinishedMatch } from './partial-regex.js';
import { startsFrom, TOKEN_LOOK, type StartsOfTail } from './token-starts.js';

/** What may still change in a text that goes on. Both are the text's length when nothing can. */
export interface Undecided {
  /** Patterns tried before this have come to their final answer. */
  readonly attempt: number;
  /** No finding that is missing, or may go again, begins before this. */
  readonly start: number;
}

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

  constructor(private readonly compiled: readonly Compiled<Code>[]) {
    let longest = 0;
    this.looks = compiled.map(lookOf);
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

  /** Looks at patterns of all codes, and at those of `codes` alone. */
  in(reading: Reading, codes: ReadonlySet<Code>): { readonly any: Undecided; readonly ofCodes: Undecided } {
    const { length } = reading.text;
    const begun = this.begunLiterals(reading);
    const tokens = startsFrom(reading.text, reading.from);
    let any: Undecided = { attempt: length, start: length };
    let ofCodes = any;
    const look = (owner: number): void => {
      const one = this.compiled[owner]!;
      const found = this.ofPattern(one, owner, reading, tokens, begun);
      if (found === undefined) return;
      any = earlier(any, found);
      if (codes.has(one.pattern.code)) ofCodes = earlier(ofCodes, found);
    };
    this.anywhere.forEach(look);
    for (const [kind, owners] of this.byToken) if (tokens[kind].length > 0) owners.forEach(look);
    // Sparse: only patterns whose literal is there, or has begun.
    reading.literals.forEach((_starts, owner) => look(owner));
    for (const owner of begun.keys()) if (reading.literals[owner] === undefined) look(owner);
    return { any, ofCodes };
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

  private ofPattern(
    one: Compiled<Code>,
    owner: number,
    reading: Reading,
    tokens: StartsOfTail,
    begun: ReadonlyMap<number, readonly number[]>,
  ): Undecided | undefined {
    const { text, from } = reading;
    if (one.regex === undefined && one.pattern.undecided !== undefined) {
      const start = one.pattern.undecided(text);
      return start < text.length ? { attempt: Math.max(start, from), start } : undefined;
    }
    const look = this.looks[owner]!;
    const ranges = rangesOf(one, reading, look);
    if (ranges !== undefined) return this.inRanges(one as CompiledPattern<Code>, ranges, reading, look);
    const lowest = Math.max(from, text.length - look);
    const places = one.tokens === undefined ? placesOf(reading.literals[owner], begun.get(owner)) : tokens[one.tokens];
    let attempt: number | undefined;
    for (const place of places) {
      if (place < lowest || (attempt !== undefined && place >= attempt)) continue;
      if (one.regex === undefined || this.mayChange(one, place, reading)) attempt = place;
    }
    if (one.regex !== undefined) return attempt === undefined ? undefined : { attempt, start: attempt };
    // What it finds may begin to the left of a literal that is still to come.
    if (attempt === undefined && one.tokens !== undefined) return undefined;
    const tried = attempt ?? text.length;
    return { attempt: tried, start: tried - one.pattern.behind };
  }

  private unfinishedOf(one: CompiledPattern<Code>): RegExp {
    let unfinished = this.unfinished.get(one);
    if (unfinished === undefined) {
      unfinished = unfinishedMatch(one.pattern.regex, one.regex.sticky);
      this.unfinished.set(one, unfinished);
    }
    return unfinished;
  }

  private mayChange(one: CompiledPattern<Code>, place: number, reading: Reading): boolean {
    const { text } = reading;
    // What stands before a place stands.
    if (one.onlyInContext && !inContextAt(one, place, reading)) return false;
    if (!this.mayGoOn.at(one.pattern.regex, text, place)) return false;
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

  /** For patterns that are tried at every place of some ranges. */
  private inRanges(
    one: CompiledPattern<Code>,
    ranges: readonly (readonly [from: number, to: number])[],
    { text, from }: Reading,
    look: number,
  ): Undecided | undefined {
    const unfinished = this.unfinishedOf(one);
    let attempt = Infinity;
    for (const [first, last] of ranges) {
      const lowest = Math.max(first, from, text.length - look, 0);
      if (lowest > last) continue;
      unfinished.lastIndex = lowest;
      for (let match = unfinished.exec(text); match !== null; match = unfinished.exec(text)) {
        if (match.index > last || match.index >= Math.min(attempt, text.length)) break;
        if (this.sees(one, match, text)) attempt = match.index;
        unfinished.lastIndex = match.index + 1;
      }
    }
    return attempt === Infinity ? undefined : { attempt, start: attempt };
  }
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
  one: Compiled<Code>,
  reading: Reading,
  look: number,
): (readonly [from: number, to: number])[] | undefined {
  const { trigger } = one.pattern;
  const end = reading.text.length;
  if (one.regex === undefined) return undefined;
  if (trigger.on === 'text') return [[0, end]];
  if (trigger.on === 'context') {
    if (underKey(one, reading)) return [[0, end]];
    return (reading.ends[one.contextGroup] ?? []).map((word) => [word, word + one.contextUnits] as const);
  }
  if (trigger.on !== 'literals' || (trigger.before ?? 0) === 0) return undefined;
  // Its literal may come later, this far behind the start.
  const longest = Math.max(...trigger.literals.map((literal) => literal.length));
  const lowest = end - look;
  const before = trigger.before ?? 0;
  const seen = literalPlaces(trigger.literals, reading.text, lowest);
  return [[end - before - longest + 1, end], ...seen.map((at) => [at - before, at] as const)];
}

function literalPlaces(literals: readonly string[], text: string, lowest: number): number[] {
  const tail = text.slice(Math.max(0, lowest)).toLowerCase();
  const places: number[] = [];
  for (const literal of literals) {
    const wanted = literal.toLowerCase();
    for (let at = tail.indexOf(wanted); at >= 0; at = tail.indexOf(wanted, at + 1))
      places.push(text.length - tail.length + at);
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
