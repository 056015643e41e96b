import type { MatchInfo, Pattern } from '../../src/core/plugin-api.js';
import { LIST_HEAD, LIST_TAIL, isPartOfNumber } from './number-edges.js';

/** Numbers of many countries, and of cards, accounts and devices, whose form alone says nothing: a word has to name them. */
export type NamedCode =
  'NATIONAL_ID' | 'TAX_NUMBER' | 'VAT_ID' | 'HEALTH_ID' | 'BANK_ACCOUNT' | 'CARD_CODE' | 'DEVICE_ID' | 'VEHICLE_ID';

interface NamedNumber {
  readonly code: NamedCode;
  /** Source of a regular expression without boundaries. Letters are capitals: a word with a number behind it is none of these numbers. */
  readonly shape: string;
  /** Names of the number. It must follow one of them directly, or after words such as "number" and "is". */
  readonly words: readonly string[];
  /** A check digit or a date in the number. Without it, plain digits that can be a date are no finding. */
  readonly check?: (match: string) => boolean;
  /** For names that are also words when they are not in capitals, as `ein` is in German. */
  readonly inCapitals?: boolean;
}

const NAMED_SCORE = 0.9;
/** Units between a name and its number: " number is: ". */
const WINDOW_UNITS = 16;
const LOOK_UNITS = 32;
const LEAST_DIGITS = 3;
/** The last units of a name decide whether a number follows it, so that name and number are within the units a check may read. */
const NAME_UNITS = 15;

/** What may be between a name and its number: signs, and words that announce the number. */
const BETWEEN = String.raw`(?:[\s:=#"'\x60.°º№“()[\]|>*_-]|(?<!\p{L})(?:numbers?|num|no|nr|n|id|code|is|was|es|ist|lautet|è|é|de|número|numero|numéro|numer)(?!\p{L})){0,20}`;

function nameBefore(words: readonly string[]): RegExp {
  const ends = words.map((word) =>
    word
      .slice(-NAME_UNITS)
      .replaceAll('.', String.raw`\.`)
      .replace(/[ -]/g, '[ _-]?'),
  );
  return new RegExp(`(?:${ends.join('|')})${BETWEEN}$`, 'iu');
}

/** A day, with or without the time: the commonest long number of texts. */
const DAY = /^(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:\d{2}){0,3}$/;
/** Seconds or milliseconds since 1970. */
const TIME_STAMP = /^1[4-9]\d{8}(?:\d{3})?$/;
/** What follows an amount or a count. */
const COUNTED_AFTER =
  /^\s?(?:[%€$£¥]|(?:eur|usd|gbp|chf|pln|euros?|dollars?|pounds?|pesos?|bytes?|bits?|[kmg]i?b|ms|px|dpi|kg|km|tons?|rows?|users?|items?|records?|entries|people|customers|requests?|times|steps|packets|units|pieces)(?![a-z]))/i;
const COUNTED_BEFORE = /[$€£¥]\s?$/;

function isCount({ text, start, end }: MatchInfo): boolean {
  return (
    COUNTED_AFTER.test(text.slice(end, end + 16)) || COUNTED_BEFORE.test(text.slice(Math.max(0, start - 2), start))
  );
}

/** A pattern for a number that directly follows one of its names, or is the value of a JSON key with such a name. */
export function named({ code, shape, words, check, inCapitals = false }: NamedNumber): Pattern<NamedCode> {
  const name = nameBefore(words);
  const capitals = new RegExp(`(?:${words.join('|').toUpperCase()})[^A-Za-z]*$`);
  const follows = ({ text, start, key }: MatchInfo): boolean => {
    const before = text.slice(Math.max(0, start - LOOK_UNITS), start);
    if (!/[\p{L}\d]/u.test(before)) return key !== undefined;
    return name.test(before) && (!inCapitals || capitals.test(before));
  };
  return {
    code,
    regex: new RegExp(`(?<![A-Za-z0-9])${LIST_HEAD}(?:${shape})${LIST_TAIL}`),
    trigger: { on: 'context' },
    score: 0,
    context: { words, windowUnits: WINDOW_UNITS },
    contextScore: NAMED_SCORE,
    ...(check === undefined ? {} : { accepts: check }),
    validate: (match, info) =>
      (match.match(/\d/g)?.length ?? 0) >= LEAST_DIGITS &&
      (check !== undefined || !(DAY.test(match) || TIME_STAMP.test(match))) &&
      !isPartOfNumber(match, info, false) &&
      follows(info) &&
      !isCount(info),
  };
}
