import { wordBeginnings } from './word-beginnings.js';

/** A word of one case, or with a capital, at the start of what is left. */
const WORD = /[A-Z]?[a-z]+|[A-Z]{2,}/y;
/** What stands between words, and before the first one. */
const JOINT = /[_./-]+/y;
const FIRST_JOINT = /\.+/y;
const LONGEST_BEGINNING = 4;

/**
 * How much of a text, from a place on, are words: `looked`, `heldUnits`, `/usr/local`. What is random begins like that once
 * in a hundred times, so that it loses next to nothing when its words are not counted as a part of it. More text behind
 * never makes it less: what a stream has let go as a word stays one.
 *
 * @param most units, at most
 */
export function wordHead(text: string, from: number, most: number): number {
  const end = Math.min(text.length, from + most);
  let at = Math.min(end, endOf(FIRST_JOINT, text, from));
  while (at < end) {
    const next = endOfWord(text, at);
    if (next === at) break;
    at = endOf(JOINT, text, next);
  }
  return Math.min(at, end) - from;
}

function endOfWord(text: string, from: number): number {
  const end = endOf(WORD, text, from);
  const beginnings = wordBeginnings();
  for (let length = Math.min(LONGEST_BEGINNING, end - from); length > 1; length--) {
    if (!beginnings.has(text.slice(from, from + length).toLowerCase())) continue;
    // A longer word is known by its beginning.
    return length === LONGEST_BEGINNING ? end : from + length;
  }
  return from;
}

function endOf(part: RegExp, text: string, from: number): number {
  part.lastIndex = from;
  return part.test(text) ? part.lastIndex : from;
}
