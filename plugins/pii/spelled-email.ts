import { parse } from 'tldts';
import type { MatchInfo, Pattern } from '../../src/core/plugin-api.js';

/** An `@` as it is written to hide an address from programs: `(at)`, `[ at ]`, `{@}`. */
const BRACKETS = ['()', '[]', '{}'];
const AT_WORDS = ['at', '@', 'arroba'];
const AT_SIGNS = BRACKETS.flatMap((pair) =>
  AT_WORDS.flatMap((word) => ['', ' '].map((space) => pair.charAt(0) + space + word + space + pair.charAt(1))),
);

const AT = String.raw`(?:\( ?(?:at|@|arroba) ?\)|\[ ?(?:at|@|arroba) ?\]|\{ ?(?:at|@|arroba) ?\}) {0,2}`;
const DOT = String.raw`(?: {0,2}[([{] ?(?:dot|punkt|punto|point|ponto|\.) ?[)\]}] {0,2}| {1,2}(?:dot|punkt) {1,2}|\.)`;
const LABEL = '[A-Za-z0-9][A-Za-z0-9-]{0,62}';
/** RFC 5321, section 4.5.3.1: 64 octets before the `@`. */
const LOCAL_UNITS = 64;
const LOCAL = `(?<![A-Za-z0-9._%+-])[A-Za-z0-9_][A-Za-z0-9._%+-]{0,${LOCAL_UNITS - 1}}`;
const REST = `${AT}(${LABEL}(?:${DOT}${LABEL}){1,4})(?![A-Za-z0-9_-])`;

/** What stands for a full stop between two labels of a spelled domain. */
const SPELLED_DOT = new RegExp(DOT, 'gi');
/** Words of code before a variable `at` in brackets. */
const CODE_WORD = /(?:^|[^A-Za-z0-9_])(?:if|while|for|switch|catch|return|function|await|typeof) {0,2}$/i;

function isAddress(match: string, { text, start, end, groups }: MatchInfo): boolean {
  const at = start + Math.max(0, match.search(/[([{]/));
  // A keyword before, or a call or an assignment behind, is code.
  if (CODE_WORD.test(text.slice(Math.max(0, at - 16), at)) || /^ ?[(=[]/.test(text.slice(end, end + 2))) return false;
  const { isIcann, isPrivate } = parse((groups[1] ?? '').replace(SPELLED_DOT, '.'), { allowPrivateDomains: true });
  return isIcann === true || isPrivate === true;
}

/**
 * Addresses whose `@` is a word in brackets, and whose full stops may be words. If a space precedes that word, the finding begins with it, so
 * that a stream need not hold back each word that ends with a space.
 */
export const SPELLED_EMAILS: readonly Pattern<'EMAIL'>[] = [
  {
    code: 'EMAIL',
    regex: new RegExp(LOCAL + REST, 'i'),
    trigger: { on: 'literals', literals: AT_SIGNS, before: LOCAL_UNITS },
    score: 0.75,
    validate: isAddress,
  },
  {
    code: 'EMAIL',
    regex: new RegExp(`(?<=[A-Za-z0-9_] {1,2})${REST}`, 'i'),
    trigger: { on: 'literals', literals: AT_SIGNS },
    score: 0.75,
    validate: isAddress,
  },
];
