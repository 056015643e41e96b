import type { Finder, Found } from '../../../src/core/plugin-api.js';
import { COMMON, FAMILY, GIVEN, nameLexicon, WORD_NAME, type NameLexicon } from './name-lexicon.js';
import {
  AFTER_A_PERSON,
  CUE,
  IN_AN_ADDRESS,
  NOT_A_PERSON_AFTER,
  PLACE_PREFIX,
  STRONG_CUE,
  TITLE,
} from './name-context.js';
import { isSurnameShape, NOT_A_NAME, PLAIN_NAMES, SUFFIXES } from './name-shapes.js';

const MAX_TOKENS = 5;
const MAX_LENGTH = 90;
const LOOK_BEHIND = 40;
const LOOK_AHEAD = 30;

/** A capitalised word; apostrophes and hyphens join its parts. Latin letters only. */
const WORD = /[A-ZÀ-ÖØ-ÞĀ-ɏ][A-Za-zÀ-ÖØ-öø-ɏ]{0,24}(?:['-][A-Za-zÀ-ÖØ-öø-ɏ]{2,24}){0,2}/y;
const INITIAL = /[A-ZÀ-ÖØ-Þ]\.?(?![A-Za-zÀ-ɏ'-])/y;
const PARTICLE = /(?:van|von|der|den|de|del|della|da|dos|du|di|la|le|bin|bint|ibn|al|el|zu|ter|ten)(?= )/y;

interface Token {
  readonly end: number;
  readonly text: string;
  readonly kind: 'word' | 'initial' | 'particle';
  readonly role: Role;
}

/** Role of a word in a name, from the lexicon and from its shape. */
interface Role {
  readonly given: boolean;
  readonly family: boolean;
  /** Whether the name is also an English word or a place. */
  readonly wordName: boolean;
  /** Whether the word is not a name. */
  readonly common: boolean;
  readonly shape: boolean;
}

const NO_ROLE: Role = { given: false, family: false, wordName: false, common: false, shape: false };

/** The text around a run of tokens. */
interface Surroundings {
  readonly before: string;
  readonly after: string;
  readonly lexicon: NameLexicon;
}

/** Finds names of people: runs of capitalised words, scored by a lexicon, by the shape of surnames, and by surrounding words. */
export function personFinder(): Finder<'PERSON'> {
  const lexicon = nameLexicon();
  return {
    code: 'PERSON',
    trigger: { on: 'token', token: 'capital' },
    maxLength: MAX_LENGTH + LOOK_AHEAD + 1,
    behind: LOOK_BEHIND + 2,
    find: (text, start) => findPerson(text, start, lexicon),
  };
}

function findPerson(text: string, start: number, lexicon: NameLexicon): Found | undefined {
  const tokens = readTokens(text, start, lexicon);
  if (tokens.length === 0 || tokens[0]!.role.common) return undefined;
  if (/[@#/\\_=<&$'-]/.test(text[start - 1] ?? '')) return undefined;
  const before = text.slice(Math.max(0, start - LOOK_BEHIND), start);
  if (PLACE_PREFIX.test(before) || IN_AN_ADDRESS.test(before)) return undefined;
  for (let count = tokens.length; count > 0; count--) {
    const { end, kind } = tokens[count - 1]!;
    if (kind === 'particle' || (count > 1 && kind === 'initial')) continue;
    const score = judge(tokens.slice(0, count), { before, after: text.slice(end, end + LOOK_AHEAD), lexicon });
    if (score > 0) return { end, score };
  }
  return undefined;
}

function readTokens(text: string, start: number, lexicon: NameLexicon): Token[] {
  const tokens: Token[] = [];
  let at = start;
  while (tokens.length < MAX_TOKENS && at - start < MAX_LENGTH) {
    const token = readToken(text, at, tokens.length > 0, lexicon);
    if (token === undefined) break;
    tokens.push(token);
    if (text[token.end] !== ' ' || tokens[0]!.role.common) break;
    at = token.end + 1;
  }
  return tokens;
}

function readToken(text: string, at: number, inside: boolean, lexicon: NameLexicon): Token | undefined {
  INITIAL.lastIndex = WORD.lastIndex = PARTICLE.lastIndex = at;
  const initial = INITIAL.exec(text);
  if (initial !== null) return { end: at + initial[0].length, text: initial[0], kind: 'initial', role: NO_ROLE };
  const word = WORD.exec(text)?.[0].replace(/'s$/i, '');
  if (word !== undefined) {
    const end = at + word.length;
    if (/[\w@]/.test(text[end] ?? '') || /^'(?:t|re|ll|ve|d|m)\b/i.test(text.slice(end, end + 4))) return undefined;
    if (/[a-zß-ɏ][A-ZÀ-Þ]/.test(word) && !/^(?:Mc|Mac|De|Di|La|Le|Fitz|Van|O')[A-Z]/.test(word)) return undefined;
    return { end, text: word, kind: 'word', role: roleOf(word, lexicon) };
  }
  const particle = inside ? PARTICLE.exec(text)?.[0] : undefined;
  return particle === undefined
    ? undefined
    : { end: at + particle.length, text: particle, kind: 'particle', role: NO_ROLE };
}

function roleOf(word: string, lexicon: NameLexicon): Role {
  const lower = word.toLowerCase();
  if (NOT_A_NAME.has(lower) || SUFFIXES.has(lower)) return { ...NO_ROLE, common: true };
  const flags = lexicon(lower) || hyphenated(lower, lexicon);
  const plain = PLAIN_NAMES.has(lower);
  const given = plain || (flags & GIVEN) !== 0;
  const family = (flags & FAMILY) !== 0;
  const wordName = !plain && (flags & WORD_NAME) !== 0;
  const common = flags === COMMON;
  return { given, family, wordName, common, shape: !given && !common && isSurnameShape(lower) };
}

/** A hyphenated name has the kind of its parts: `anne-marie` is a given name, `smith-jones` a family name. */
function hyphenated(word: string, lexicon: NameLexicon): number {
  const parts = word.split('-');
  if (parts.length < 2) return 0;
  const flags = parts.map((part) => lexicon(part));
  if (flags.some((part) => (part & (GIVEN | FAMILY)) === 0)) return 0;
  return flags.every((part) => (part & GIVEN) !== 0) ? GIVEN | FAMILY : FAMILY;
}

/** Confidence that exactly these tokens are a person's name. */
function judge(tokens: readonly Token[], around: Surroundings): number {
  if (NOT_A_PERSON_AFTER.test(around.after)) return 0;
  const words = tokens.filter(({ kind }) => kind === 'word');
  if (words.length === 0 || words.length > 4) return 0;
  const titled = TITLE.test(around.before);
  if (words.length > 1) return judgeSeveral(words, tokens.length > words.length, titled, around);
  const { text, role } = words[0]!;
  if (tokens[0]!.kind === 'initial') return titled ? 0.9 : role.family || role.shape ? 0.7 : 0;
  return judgeOne(text, role, titled, around);
}

function judgeOne(text: string, role: Role, titled: boolean, { before, after, lexicon }: Surroundings): number {
  if (text.length < 2 || text === text.toUpperCase()) return titled && text.length > 1 ? 0.6 : 0;
  const known = role.given || role.family;
  if (titled) return 0.9;
  const confirmed = AFTER_A_PERSON.test(after);
  if (STRONG_CUE.test(before)) return known ? 0.9 : role.wordName ? 0.75 : role.shape ? 0.8 : 0.55;
  if (text.length < 3) return 0;
  const neighbour = listNeighbour(before, after, lexicon);
  if (neighbour === 'given' && (known || role.wordName || role.shape || confirmed)) return 0.7;
  if (neighbour === 'family' && !role.given) return 0;
  if (role.given) return confirmed || CUE.test(before) ? 0.75 : text.includes('-') || text.length < 4 ? 0.5 : 0.6;
  if (role.family || role.shape) return confirmed ? 0.6 : 0.35;
  return role.wordName && confirmed && CUE.test(before) ? 0.5 : 0;
}

/**
 * The kind of the neighbouring word in an enumeration. Given names occur in lists of people; three family names in a row are more often
 * the name of a firm.
 */
function listNeighbour(before: string, after: string, lexicon: NameLexicon): 'given' | 'family' | undefined {
  const left = /([A-ZÀ-Þ][a-zß-ɏ]{1,20})(?:,| and|, and| &) $/.exec(before)?.[1];
  const right = /^(?:,| and|, and| &) ([A-ZÀ-Þ][a-zß-ɏ]{1,20})(?![A-Za-z])/.exec(after)?.[1];
  const neighbours = [left, right].filter((word) => word !== undefined).map((word) => word.toLowerCase());
  if (neighbours.some((word) => (lexicon(word) & GIVEN) !== 0 || PLAIN_NAMES.has(word))) return 'given';
  return neighbours.some((word) => (lexicon(word) & FAMILY) !== 0) ? 'family' : undefined;
}

function judgeSeveral(words: readonly Token[], initialled: boolean, titled: boolean, { before }: Surroundings): number {
  const roles = words.map(({ role }) => role);
  const first = roles[0]!;
  const last = roles.at(-1)!;
  const lastFamily = last.family || last.shape;
  if (words.some(({ role }, index) => role.common && (index < words.length - 1 || !first.given))) return 0;
  const upper = words.filter(({ text }) => text.length > 1 && text === text.toUpperCase()).length;
  if (upper > 0) return upper === words.length && first.given && lastFamily ? 0.7 : 0;
  if (titled) return last.common ? 0 : 0.95;
  if (first.given) return last.common ? 0.55 : lastFamily ? 0.95 : last.given || last.wordName ? 0.8 : 0.7;
  if (STRONG_CUE.test(before)) return lastFamily || last.given ? 0.75 : 0.65;
  if (first.wordName) return lastFamily ? 0.7 : last.given ? 0.5 : 0;
  if (lastFamily) return first.family || last.shape || initialled ? 0.6 : 0.5;
  if (first.family && last.given) return 0.6;
  return CUE.test(before) ? 0.5 : 0;
}
