import {
  KeywordMatcher,
  streamCandidates,
  type Candidate,
  type CandidateSource,
  type Finding,
  type OpenStream,
  type ScanStream,
  type Settled,
} from '../../src/core/plugin-api.js';
import { MAX_WORD_UNITS, type KeywordList } from './keyword-lists.js';
import { startsAlone, standsAlone } from './word-boundary.js';

export interface Keyword {
  readonly code: string;
  readonly list: KeywordList;
  /** The keyword as it appears in a normalised text. */
  readonly text: string;
}

/** A word boundary needs the character before a match. */
const BEHIND = 2;

/** Order of reported findings. */
export function inOrder(a: Finding, b: Finding): number {
  return a.start - b.start || b.end - a.end || b.score - a.score || (a.code < b.code ? -1 : 1);
}

/** The normalisation of a text as it is written, or with hidden letters decoded. */
export function normalisation(hidden: boolean): { readonly disguises: boolean; readonly parting: boolean } {
  return { disguises: hidden, parting: !hidden };
}

/** Whether a match fulfils the list's options for case and whole words. */
export function isHit({ list, text: word }: Keyword, text: string, start: number, end: number): boolean {
  if (list.case_sensitive && text.slice(start, end) !== word) return false;
  return !list.whole_words || standsAlone(text, start, end);
}

/** Scans one reading of a text that arrives in pieces: only an end that could be the start of a listed word is held back. */
export function streamKeywords(
  words: readonly Keyword[],
): (hidden: boolean, ...open: Parameters<OpenStream>) => ScanStream {
  const codes = [...new Set(words.map(({ code }) => code))];
  const sources = codes.map((code) =>
    sourceOf(
      code,
      words.filter((word) => word.code === code),
    ),
  );
  return (hidden, hint, wanted) => {
    // Lists are independent, so each has its own stream.
    const streams = sources.filter((source) => [...source.codes].some((code) => wanted.has(code)));
    return new JoinedStreams(
      streams.map((source) => streamCandidates({ ...source, normalisation: normalisation(hidden) }, hint, wanted)),
    );
  };
}

function sourceOf(code: string, words: readonly Keyword[]): Omit<CandidateSource<string>, 'normalisation'> {
  const beginnings = new Map<string, boolean>();
  for (const { text, list } of words) {
    for (let length = 1; length <= text.length; length++) {
      const beginning = folded(text.slice(0, length));
      beginnings.set(beginning, beginnings.get(beginning) !== false && list.whole_words);
    }
  }
  const matchers = inGroups(words).map((group) => ({
    group,
    matcher: new KeywordMatcher(group.map(({ text }) => text)),
  }));
  return {
    codes: new Set([code]),
    behind: BEHIND,
    read: (text, _hint, from) => ({
      candidates() {
        const found: Candidate[] = [];
        for (const { group, matcher } of matchers) {
          matcher.scan(text, (index, start, end) => {
            const word = group[index]!;
            if (start >= from && isHit(word, text, start, end)) {
              found.push({ code, start, end, score: word.list.score, at: start });
            }
          });
        }
        return found;
      },
      undecided() {
        const place = firstBeginning(text, from, beginnings);
        const undecided = { attempt: place, start: place };
        return { any: undecided, ofCodes: undecided };
      },
    }),
  };
}

/** The offset at which the text's end could start a keyword, or is a keyword whose boundary depends on the next character. */
function firstBeginning(text: string, from: number, beginnings: ReadonlyMap<string, boolean>): number {
  for (let at = Math.max(from, text.length - MAX_WORD_UNITS); at < text.length; at++) {
    const wholeWords = beginnings.get(folded(text.slice(at)));
    if (wholeWords !== undefined && (!wholeWords || startsAlone(text, at))) return at;
  }
  return text.length;
}

/** Folds case like the matcher: only for units whose lower-case form is a single unit. */
function folded(text: string): string {
  let out = '';
  for (let at = 0; at < text.length; at++) {
    const lower = text.charAt(at).toLowerCase();
    out += lower.length === 1 ? lower : text.charAt(at);
  }
  return out;
}

/** Merges the findings of several streams over one text in order. */
class JoinedStreams implements ScanStream {
  private waiting: Finding[] = [];
  private length = 0;

  constructor(private readonly streams: readonly ScanStream[]) {}

  push(piece: string): Settled {
    this.length += piece.length;
    return this.join(this.streams.map((stream) => stream.push(piece)));
  }

  end(): Settled {
    return this.join(this.streams.map((stream) => stream.end()));
  }

  private join(settled: readonly Settled[]): Settled {
    const upTo = settled.reduce((least, { upTo: each }) => Math.min(least, each), this.length);
    const all = [...this.waiting, ...settled.flatMap(({ findings }) => findings)].sort(inOrder);
    this.waiting = all.filter(({ start }) => start >= upTo);
    return { findings: all.filter(({ start }) => start < upTo), upTo };
  }
}

/** Maximum distinct characters per matcher: if there are few, most characters of a text need only one table lookup. */
const MAX_CHARACTERS = 200;

/** Splits the words so that each matcher stays within this number of different characters. */
export function inGroups(words: readonly Keyword[]): Keyword[][] {
  const groups: { readonly words: Keyword[]; readonly characters: Set<string> }[] = [];
  for (const word of words) {
    const characters = [...word.text.toLowerCase()].flatMap((character) => character.split(''));
    let group = groups.find(({ characters: used }) => new Set([...used, ...characters]).size <= MAX_CHARACTERS);
    if (group === undefined) groups.push((group = { words: [], characters: new Set() }));
    group.words.push(word);
    for (const character of characters) group.characters.add(character);
  }
  return groups.map((group) => group.words);
}
