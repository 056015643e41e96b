import type { Finder } from '../../../src/core/plugin-api.js';
import { GROUPS } from './demonyms.js';

const KNOWN = new Set(GROUPS.map((name) => name.toLowerCase()));
const LONGEST = Math.max(...GROUPS.map((name) => name.length)) + 2;
/** Words after a nationality that show a language or a thing instead of a person. */
const OTHER_AFTER =
  /^(?:'s|-(?:language|speaking|style))?\s(?:language|translation|translator|keyboard|locale|version|text|speaker|words?|toast|fries|dressing)\b/i;

/** The engine finds the literals; this finder checks that the match is a whole word, in singular or plural. */
export function groupFinder(): Finder<'NRP'> {
  return {
    code: 'NRP',
    trigger: { on: 'literals', literals: GROUPS },
    maxLength: LONGEST + 24,
    behind: 1,
    find: (text, start) => {
      if (/[\w@#./-]/.test(text[start - 1] ?? '')) return undefined;
      const word = /^[A-Za-zÀ-ɏ'ʼ-]{2,24}(?: [A-Za-z]{2,16})?/.exec(text.slice(start, start + LONGEST))?.[0] ?? '';
      const match = [word, word.split(' ')[0]!].map((form) => form.replace(/'s$/, '')).find(isGroup);
      if (match === undefined || OTHER_AFTER.test(text.slice(start + match.length, start + match.length + 24)))
        return undefined;
      const capital = match[0] === match[0]!.toUpperCase();
      return { end: start + match.length, score: capital ? 0.7 : 0.55 };
    },
  };
}

function isGroup(word: string): boolean {
  const lower = word.toLowerCase();
  return KNOWN.has(lower) || KNOWN.has(lower.replace(/e?s$/, '')) || KNOWN.has(lower.replace(/s$/, ''));
}
