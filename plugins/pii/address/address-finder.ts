/**
 * Postal addresses, found by a grammar of streets, numbers, places and codes. A single street name is not an address.
 */
import { PrefixIndex, type Finder, type Found } from '../../../src/core/plugin-api.js';
import { COMMON, nameLexicon } from '../names/name-lexicon.js';
import { NOT_A_NAME } from '../names/name-shapes.js';
import { isCountry, isRegion } from '../places/places.js';
import {
  BOX,
  CORNER,
  NAME,
  NUMBER_FIRST,
  NUMBER_LAST,
  NUMBERS_AROUND,
  POSTCODE,
  TYPE_FIRST,
  UNIT,
} from './address-grammar.js';

const MAX_LENGTH = 220;
const LOOK_BEHIND = 48;

const sticky = (source: string): RegExp => new RegExp(source, 'y');
const END = '(?![A-Za-zÀ-ɏ0-9])';
/** A form in which an address can begin. */
interface Core {
  readonly beginning: RegExp;
  readonly kind: 'street' | 'around' | 'unit';
  readonly score: number;
}
const street = (source: string, score: number): Core => ({ beginning: sticky(source + END), kind: 'street', score });
const AROUND = sticky(`${NUMBERS_AROUND}${END}`);
const UNIT_LINE = sticky(`(?:${UNIT})${END}`);
/** Forms in the order in which they are tried. */
const CORES: readonly Core[] = [
  street(`(?:${BOX})`, 0.85),
  street(`(?:${NUMBER_FIRST})`, 0.7),
  street(`(?:${NUMBER_LAST})`, 0.7),
  street(`(?:${TYPE_FIRST})`, 0.65),
  street(`(?:${CORNER})`, 0.65),
  { beginning: AROUND, kind: 'around', score: 0.5 },
  { beginning: UNIT_LINE, kind: 'unit', score: 0.55 },
];
const coresAt = new PrefixIndex(CORES, (cores) => cores);
const SEPARATOR = /[ ,\n>?]{1,12}/y;
const CITY = sticky(NAME);
const CODE = sticky(`(?:${POSTCODE})${END}(?![-. ]{1,2}[0-9])`);
const WORDS_THEN_UNIT = sticky(`${NAME}[ ,\\n]{1,8}${UNIT}${END}`);
const STATE = sticky(`[A-Z]{1,3}${END}`);

/** The state while an address is extended after its street; pieces are tried in a fixed order. */
interface Tail {
  end: number;
  /** End of the last piece that occurs only in addresses. */
  sure: number;
  /** Whether a postal code was read; an address has at most one. */
  coded: boolean;
}

/** Finds postal addresses: a street or a post box, followed by unit, city, region, postal code or country. */
export function addressFinders(): readonly Finder<'ADDRESS'>[] {
  const shared = {
    code: 'ADDRESS',
    maxLength: MAX_LENGTH,
    behind: LOOK_BEHIND,
    context: {
      words: [
        'address*',
        'located at',
        'lives at',
        'live at',
        'ship to',
        'deliver to',
        'adresse',
        'dirección',
        'indirizzo',
        'street',
        'meet me at',
        'sent to',
        'office*',
        'anschrift',
        'endereço',
        'adres',
      ],
      windowUnits: 40,
    },
  } as const;
  return [
    {
      ...shared,
      trigger: { on: 'token', token: 'digit' },
      // A house or lot number followed by words.
      begins: /\d{1,6}[A-Za-z]?(?:[-/]\d{1,5}[A-Za-z]?)?,? [A-Za-zÀ-ɏ\d]/,
      accepts: standsFree,
      find: (text, start, { inContext }) => findAddress(text, start, inContext),
    },
    {
      ...shared,
      trigger: { on: 'token', token: 'capital', minDigits: 1 },
      begins: /[^\d]{2}/,
      accepts: standsFree,
      find: (text, start, { inContext }) => findAddress(text, start, inContext),
    },
    {
      ...shared,
      trigger: { on: 'literals', literals: ['ul. ', 'the corner of '] },
      accepts: standsFree,
      find: (text, start, { inContext }) => findAddress(text, start, inContext),
    },
  ];
}

/** Units directly after which an address does not begin. */
const joins = new Set(
  [...'.$€£#%/@-_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'].map((unit) => unit.charCodeAt(0)),
);

function standsFree(text: string, start: number): boolean {
  return start === 0 || !joins.has(text.charCodeAt(start - 1));
}

function findAddress(text: string, start: number, inContext: boolean): Found | undefined {
  const core = findCore(text, start, inContext);
  if (core === undefined) return undefined;
  const before = text.slice(Math.max(0, start - LOOK_BEHIND), start);
  const ownLine = /(?:^|\n)[ >?*\t-]{0,8}(?:\d{1,6} )?$/.test(before);
  const end = extend(text, core.end, !ownLine || inContext, start + MAX_LENGTH - 20);
  const more = end > core.end ? 0.15 : 0;
  const score = Math.min(0.95, core.score + more + (inContext ? 0.15 : 0));
  return { end, score };
}

function findCore(text: string, start: number, inContext: boolean): Found | undefined {
  for (const { beginning, kind, score } of coresAt.at(text, start)) {
    if (kind === 'around') {
      AROUND.lastIndex = start;
      const around = AROUND.exec(text);
      if (around !== null && hasNoEnglish(around[1]!))
        return { end: start + around[0].length, score: inContext ? 0.6 : score };
      continue;
    }
    const end = endOf(beginning, text, start);
    if (end === undefined) continue;
    if (kind === 'street') return { end, score };
    const ownLine = /(?:^|[\n,])[ >?]{0,8}$/.test(text.slice(Math.max(0, start - 10), start));
    return ownLine && /^[\s,]|^$/.test(text.slice(end, end + 1)) ? { end, score } : undefined;
  }
  return undefined;
}

function hasNoEnglish(name: string): boolean {
  const lexicon = nameLexicon();
  return name.split(' ').every((word) => {
    const lower = word.toLowerCase().replace(/\.$/, '');
    return !NOT_A_NAME.has(lower) && (/^\p{Ll}{1,3}$/u.test(word) || word.endsWith('.') || lexicon(lower) !== COMMON);
  });
}

function endOf(regex: RegExp, text: string, at: number): number | undefined {
  regex.lastIndex = at;
  return regex.test(text) ? regex.lastIndex : undefined;
}

/** Extends an address across commas, and across line ends if `lines` is set, as long as further pieces of it follow. */
function extend(text: string, from: number, lines: boolean, limit: number): number {
  const tail: Tail = { end: from, sure: from, coded: false };
  for (let piece = 0; piece < 6 && tail.end < limit; piece++) {
    SEPARATOR.lastIndex = tail.end;
    const gap = SEPARATOR.exec(text)?.[0];
    if (gap === undefined || (!lines && gap.includes('\n'))) break;
    if (!takePiece(text, tail, gap)) break;
  }
  return tail.sure;
}

function takePiece(text: string, tail: Tail, gap: string): boolean {
  const at = tail.end + gap.length;
  const unit = endOf(UNIT_LINE, text, at) ?? endOf(WORDS_THEN_UNIT, text, at);
  const code = unit === undefined && !tail.coded ? endOf(CODE, text, at) : undefined;
  const end = unit ?? code;
  if (end !== undefined) {
    tail.end = tail.sure = end;
    tail.coded ||= code !== undefined;
    return true;
  }
  const state = endOf(STATE, text, at);
  if (state !== undefined) {
    tail.end = state;
    if (/[,\n]/.test(gap) || isRegion(text.slice(at, state))) tail.sure = state;
    return true;
  }
  const city = endOf(CITY, text, at);
  if (city === undefined || (gap === ' ' && !/[0-9]/.test(text[tail.end - 1] ?? ''))) return false;
  const name = text.slice(at, city).replace(/[.,]$/, '');
  const lexicon = nameLexicon();
  const known = isCountry(name) || isRegion(name);
  if (!known && name.split(' ').some((word) => lexicon(word.toLowerCase()) === COMMON && word !== word.toUpperCase()))
    return false;
  tail.end = at + name.length;
  if (known || gap.startsWith(',') || /^[ ]?$/.test(text.slice(tail.end, tail.end + 1)))
    tail.sure = known || gap.startsWith(',') ? tail.end : tail.sure;
  return true;
}
