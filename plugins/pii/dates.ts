import type { Pattern } from '../../src/core/plugin-api.js';

export type DateCode = 'DATE_TIME' | 'DATE_OF_BIRTH';

/**
 * Month names and abbreviations: English, German, French, Spanish, Italian, Portuguese, Dutch, Polish (nominative and genitive), Swedish,
 * Danish and Russian (genitive).
 */
const MONTHS =
  'Jan(?:uary|uar|vier|eiro|uari)?|Feb(?:ruary|ruar|braio|rero|ruari)?|Mar(?:ch|zo|ço|s|ca)?|Apr(?:il|ile)?|May|June?|July?|' +
  'Aug(?:ust|ustus)?|Sept?(?:ember|tember|iembre|tembre|embro)?|Oct(?:ober|obre|ubre)?|Nov(?:ember|embre|iembre|embro)?|Dec(?:ember)?|' +
  'Jän(?:ner)?|März|Mai|Jun[io]|Jul[iy]|Okt(?:ober)?|Dez(?:ember|embro)?|févr(?:ier)?|février|avril|juin|juillet|août|déc(?:embre)?|décembre|' +
  'enero|abril|mayo|agosto|dic(?:iembre)?|diciembre|gennaio|maggio|giugno|luglio|settembre|ottobre|dicembre|' +
  'fevereiro|maio|setembro|outubro|maart|mei|augustus|' +
  'stycznia|lutego|marca|kwietnia|maja|czerwca|lipca|sierpnia|września|października|listopada|grudnia|' +
  'marts|maj|augusti|января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря';
const WEEKDAYS =
  'Mon(?:day)?|Tue(?:s|sday)?|Wed(?:nesday)?|Thu(?:rs|rsday)?|Fri(?:day)?|Sat(?:urday)?|Sun(?:day)?|' +
  'Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|' +
  'lunes|martes|miércoles|jueves|viernes|sábado|domingo';

const YEAR = '(?:19|20)[0-9]{2}';
const DAY = '(?:0?[1-9]|[12][0-9]|3[01])';
const MONTH = '(?:0?[1-9]|1[0-2])';
const CLOCK = String.raw`(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]{1,9})?)?(?: ?[AaPp]\.?[Mm]\.?)?(?: ?(?:Z|UTC|GMT)|[+-][0-9]{2}:?[0-9]{2})?`;
const NAMED = `(?:${MONTHS})\\.?`;

/** Written dates that begin with a digit. */
const NUMERIC = [
  `${YEAR}-${MONTH}-${DAY}`,
  `${YEAR}/${MONTH}/${DAY}`,
  `${YEAR}\\.${MONTH}\\.${DAY}`,
  `${DAY}/${DAY}/(?:${YEAR}|[0-9]{2})`,
  `${DAY}-${DAY}-(?:${YEAR}|[0-9]{2})`,
  `${DAY}\\. ?${MONTH}\\. ?${YEAR}|[0-3][0-9]\\.[01][0-9]\\.[0-9]{2}`,
  `${YEAR} ?[年년] ?${MONTH} ?[月월] ?${DAY} ?[日일]`,
  `${DAY}(?:st|nd|rd|th|\\.)?(?: of| de)?[- ./]{1,2}${NAMED}(?:,? (?:de |of )?|[-/])(?:${YEAR}|'?[0-9]{2})`,
].join('|');

/** Written dates that begin with a month's name. */
const MONTH_FIRST = `(?:${NAMED}) ${DAY}(?:st|nd|rd|th)?,? ${YEAR}`;

const NOT_INSIDE = String.raw`(?<![A-Za-z0-9À-ɏ])(?<![0-9][-./:,]|[-./][0-9])`;
const NOT_CONTINUED = String.raw`(?![A-Za-z0-9À-ɏ]|[-/:][0-9]|\.[0-9])`;
const WITH_TIME = `(?:(?:T|,? at |,? )(?:${CLOCK}))?`;

const BIRTH_WORDS = [
  'dob',
  'd.o.b',
  'd.o.b.',
  'date of birth',
  'birth date',
  'birthdate',
  'birthday',
  'bday',
  'born',
  'born on',
  'born in',
  'geburtsdatum',
  'geboren',
  'geb.',
  'geb',
  'geburtstag',
  'date de naissance',
  'né le',
  'née le',
  'naissance',
  'fecha de nacimiento',
  'nacimiento',
  'nacido',
  'nacida',
  'data di nascita',
  'nato il',
  'nata il',
  'data de nascimento',
  'nascimento',
  'geboortedatum',
  'geboren op',
  'data urodzenia',
  'urodzony',
  'urodzona',
  'födelsedatum',
  'fødselsdato',
  'doğum tarihi',
  'дата рождения',
  '生年月日',
  '出生日期',
  '생년월일',
  'birth day',
  'född',
  'født',
  'fødselsdag',
  'syntynyt',
  'syntymäaika',
  'narozen*',
  'datum narození',
  'született',
  'születési idő',
  'data nașterii',
  'родился',
  'родилась',
  'дата народження',
  'γεννήθηκε',
  'ημερομηνία γέννησης',
  'تاريخ الميلاد',
  'जन्म तिथि',
  'วันเกิด',
  'ngày sinh',
  'tanggal lahir',
];

/** Whether one of day and month is at most twelve; dates in other forms pass. */
function isCalendarDate(match: string): boolean {
  const numbers = /^(\d{1,2})[-/](\d{1,2})[-/]/.exec(match);
  return numbers === null || Number(numbers[1]) <= 12 || Number(numbers[2]) <= 12;
}

const birth = (shape: string, token: 'digit' | 'capital'): Pattern<DateCode> => ({
  code: 'DATE_OF_BIRTH',
  regex: new RegExp(`${NOT_INSIDE}(?:${shape})(?:T00:00:00(?:\\.0{1,6})?Z?)?${NOT_CONTINUED}`, 'i'),
  trigger: { on: 'token', token },
  score: 0,
  context: { words: BIRTH_WORDS, windowUnits: 25 },
  contextScore: 0.95,
  validate: (match, info) => info.inContext && isCalendarDate(match),
});

const moment = (shape: string, token: 'digit' | 'capital', score: number): Pattern<DateCode> => ({
  code: 'DATE_TIME',
  regex: new RegExp(`${NOT_INSIDE}(?:${shape})${WITH_TIME}${NOT_CONTINUED}`, 'i'),
  trigger: { on: 'token', token },
  score,
  validate: isCalendarDate,
});

export const DATE_PATTERNS: readonly Pattern<DateCode>[] = [
  birth(`${NUMERIC}|${YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])`, 'digit'),
  birth(MONTH_FIRST, 'capital'),
  moment(NUMERIC, 'digit', 0.8),
  moment(MONTH_FIRST, 'capital', 0.8),
  {
    code: 'DATE_TIME',
    // A month with a day or a year, in either order, separated by a dash or a space.
    regex: new RegExp(
      `${NOT_INSIDE}(?:(?:${MONTHS})[- ](?:${YEAR}|${DAY}(?:st|nd|rd|th)?)|${DAY}(?:st|nd|rd|th)?[- ](?:${MONTHS}))(?: ${CLOCK})?${NOT_CONTINUED}`,
      'i',
    ),
    trigger: { on: 'token', token: 'mixed' },
    score: 0.6,
  },
  {
    code: 'DATE_TIME',
    regex: new RegExp(
      `${NOT_INSIDE}(?:${MONTHS})(?:-(?:${YEAR}|${DAY})| ${YEAR}| ${DAY}(?:st|nd|rd|th)?)${NOT_CONTINUED}`,
    ),
    trigger: { on: 'token', token: 'capital' },
    score: 0.6,
  },
  {
    code: 'DATE_TIME',
    regex: new RegExp(`${NOT_INSIDE}(?:${WEEKDAYS})${NOT_CONTINUED}`),
    trigger: { on: 'token', token: 'capital' },
    score: 0.6,
    validate: (match) => match.length > 4,
  },
  {
    code: 'DATE_TIME',
    // Month and year, as in expiry dates on cards.
    regex: new RegExp(`${NOT_INSIDE}(?:0[1-9]|1[0-2])/(?:${YEAR}|[2-4][0-9])${NOT_CONTINUED}`),
    trigger: { on: 'token', token: 'digit' },
    score: 0.2,
    context: {
      words: [
        'exp',
        'exp.',
        'expiry',
        'expires',
        'expiration',
        'expire',
        'expiring',
        'valid thru',
        'valid until',
        'until',
        'since',
        'gültig bis',
        'caduca',
      ],
      windowUnits: 14,
    },
    contextScore: 0.8,
    validate: (match, { inContext }) => inContext || (match.length === 7 ? 0.5 : 0.2),
  },
  {
    code: 'DATE_TIME',
    // A year alone needs a preposition, since four digits are usually a quantity.
    regex: new RegExp(`${NOT_INSIDE}${YEAR}${NOT_CONTINUED}`),
    trigger: { on: 'token', token: 'digit' },
    score: 0.2,
    context: {
      words: [
        'in',
        'since',
        'of',
        'by',
        'until',
        'from',
        'before',
        'after',
        'year',
        'during',
        'im jahr',
        'seit',
        'en',
        'depuis',
        'desde',
        'founded in',
        'nel',
      ],
      windowUnits: 1,
    },
    contextScore: 0.6,
  },
  {
    code: 'DATE_TIME',
    regex: new RegExp(`${NOT_INSIDE}(?:${CLOCK})${NOT_CONTINUED}`),
    trigger: { on: 'token', token: 'digit' },
    score: 0.5,
    validate: (match) => (/[AaPp]\.?[Mm]/.test(match) || match.split(':').length === 3 ? 0.6 : 0.4),
  },
];
