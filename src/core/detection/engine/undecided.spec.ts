import fc from 'fast-check';
import type { CompiledPattern } from './compiled-pattern.js';
import { unfinishedMatch } from './partial-regex.js';
import { compileSet, inContextAt, LONGEST_WORD, underKey, VALIDATOR_CONTEXT, type Reading } from './pattern-set.js';
import { startsFrom, TOKEN_LOOKAHEAD } from './token-starts.js';
import { UndecidedPlaces } from './undecided.js';
import type { Undecided } from './undecided-part.js';
import { wordHead } from './word-head.js';
import { PARTS, PATTERNS, type Code } from './testdata/stream-samples.js';

const ALL = new Set<Code>(PATTERNS.map(({ code }) => code));
const set = compileSet(PATTERNS, { codes: ALL });
const places = new UndecidedPlaces(set.compiled);

/** Whether a pattern is tried at a position, or would be with the right following text. */
function isTried(one: CompiledPattern<Code>, owner: number, place: number, reading: Reading): boolean {
  const { trigger } = one.pattern;
  const { text, from, literals, ends } = reading;
  switch (trigger.on) {
    case 'text':
      return true;
    case 'context':
      return (
        underKey(one, reading) ||
        (ends[one.contextGroup] ?? []).some((end) => place >= end && place <= end + one.contextUnits)
      );
    case 'token':
    case 'sign':
      return startsFrom(text, from)[one.tokens!].includes(place);
    case 'literals': {
      const before = trigger.before ?? 0;
      const mayCome = trigger.literals.some((literal) =>
        before > 0
          ? place > text.length - before - literal.length
          : literal.length > text.length - place && literal.toLowerCase().startsWith(text.slice(place).toLowerCase()),
      );
      return mayCome || (literals.get(owner) ?? []).some((at) => place <= at && place >= at - before);
    }
  }
}

/** The reference model: the undecided part of one pattern at a position, determined only by its expression. */
function openAt(one: CompiledPattern<Code>, owner: number, place: number, reading: Reading): Undecided | undefined {
  const { text } = reading;
  const { pattern, extent, lead } = one;
  const beyond = Math.max(extent.beyond, pattern.validate === undefined ? 0 : VALIDATOR_CONTEXT);
  const counted = one.tokens === undefined ? LONGEST_WORD : TOKEN_LOOKAHEAD;
  if (place < text.length - Math.max(extent.maxLength + beyond, counted)) return undefined;
  if (!isTried(one, owner, place, reading)) return undefined;
  const isAtPlaces =
    one.tokens !== undefined || (pattern.trigger.on === 'literals' && (pattern.trigger.before ?? 0) === 0);
  if (isAtPlaces && one.onlyInContext && !inContextAt(one, place, reading)) return undefined;
  const unfinished = unfinishedMatch(pattern.regex, true);
  unfinished.lastIndex = place;
  const match = unfinished.exec(text);
  if (match === null) return undefined;
  const end = place + match[0].length;
  const seen = Math.max(end + beyond, one.tokens === undefined ? 0 : place + TOKEN_LOOKAHEAD);
  if (end < text.length && seen <= text.length) return undefined;
  const { sparesWords } = pattern;
  return { attempt: place, start: place + (sparesWords === undefined ? lead : wordHead(text, place, sparesWords)) };
}

/** Checks every pattern at every position. */
function slowly(reading: Reading, codes: ReadonlySet<Code>): Undecided {
  const { text, from } = reading;
  let all: Undecided = { attempt: text.length, start: text.length };
  for (const [owner, one] of set.compiled.entries()) {
    if (one.regex === undefined || !codes.has(one.pattern.code)) continue;
    for (let place = from; place < text.length; place++) {
      const open = openAt(one, owner, place, reading);
      if (open === undefined) continue;
      all = { attempt: Math.min(all.attempt, open.attempt), start: Math.min(all.start, open.start) };
    }
  }
  return all;
}

describe('UndecidedPlaces', () => {
  it('returns the same as checking every pattern at every position of a text', () => {
    // Finders determine themselves from which offset on they are undecided.
    const written = PATTERNS.filter((each) => 'find' in each).map(({ code }) => code);
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...PARTS), { maxLength: 24 }),
        fc.nat(),
        fc.subarray(
          [...ALL].filter((code) => !written.includes(code)),
          { minLength: 1 },
        ),
        fc.constantFrom(undefined, 'note', 'case'),
        (parts, cut, wanted, key) => {
          const text = parts.join('');
          const codes = new Set(wanted);
          const reading = set.read(text, key === undefined ? undefined : { key }, cut % (text.length + 1));
          const { any, ofCodes } = places.in(reading, codes);
          expect(ofCodes).toEqual(slowly(reading, codes));
          const asked = [places.in(reading, codes, 'ascii'), places.in(reading, codes, 'others')];
          expect(Math.min(...asked.map((each) => each.any.attempt))).toBe(any.attempt);
          expect(Math.min(...asked.map((each) => each.any.start))).toBe(any.start);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
