import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js';
import type { FindInfo, Finder, Found } from '../../src/core/plugin-api.js';
import { standsAlone } from './identifier.js';
import { planTest, type PlanTest } from './phone-plan.js';

const MAX_NUMBER = 32;
const EXTENSION = /^ ?(?:x|ext\.?|extension|#|;ext=) ?\d{1,6}(?!\d)/i;
/** A label after the number, as in a letterhead; it must fit within the finder's `maxLength`. */
const LABEL_AFTER = /^ ?[-(,]? ?(?:office|fax|mobile|cell|home|work|desk|direct|phone|tel)\b/i;
/** Text after a number that leaves it undecided: nothing, punctuation, or the start of an extension or a label. */
const OPEN_END = /^(?:[\s"'.;]{0,4}| ?[-(,#;x]? ?[a-z.=]{0,10} ?\d{0,7})$/i;
const NUMBER_START = /[+(]{0,2}(?<!\d)\d[\d ().\-/+]{0,31}/y;
const NANP = /^(?:1[-. ]?)?(?:\(\d{3}\) ?\d{3}[-. ]?\d{4}|\d{3}([-. /])\d{3}[-.]\d{4}|\d{3} \d{3} \d{4})$/;
/** Shapes of other numbers that are never a telephone number, even after a word such as "phone". */
const NEVER =
  /^(?:\d{1,3}(?:\.\d{1,3}){3}(?:\/[\d.]{1,15})?|.*\.\..*|.*[ /](?:19|20)\d{2}-[01]\d-[0-3]\d|\d{4}(?:[ -]\d{4}){3}|(?:19|20)\d{2}[-./]{1,2}\d{1,2}[-./]{1,2}\d{1,2}(?: .*)?|\d{1,2}[-./]\d{1,2}[-./](?:19|20)?\d{2}(?: .*)?|(?:19|20)\d{2}-(?:19|20)\d{2})$/;
/** Shapes that are more often something else: amounts, ranges, decimals, identity numbers, house numbers with a numbered street. */
const UNLIKELY =
  /^(?:\d{1,3}(?:[ .]\d{3}){1,4}|\d{1,8}\.\d{1,12}|[1-9]\d{0,7}[ -]\d{1,8}|\d{3,4}-\d{2}-\d{4}|[1-9]\d{0,4}-\d{1,4}\.\d{1,4}|(?:\d{1,4}\.){3}\d|(?:19|20)\d{2} ?\. ?\d{1,2}\. ?\d{1,2}|(?:19|20)\d{6} .*|\d{1,3}(?:\.\d{1,3}){2}(?: .*)?|.* \/ .* \/ .*|.*\d[ ]?\.[ ].*)$/;

/** First units of an extension or a label after a number, checked before the slower expressions. */
const beginsExtension = unitTable(' xXeE#;');
const beginsLabel = unitTable(' -(,ofmchwdptOFMCHWDPT');
/** A number does not start directly after one of these units. */
const joins = unitTable('@#$%=/.-_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
/** A number's digits do not end directly before one of these units; `x` is missing, as it can start an extension. */
const goesOn = unitTable('_@0123456789ABCDEFGHIJKLMNOPQRSTUVWYZabcdefghijklmnopqrstuvwyz');
const separates = unitTable(' ().-/');

interface Candidate {
  readonly text: string;
  readonly digits: string;
  /** Whether there are separators between or before its digits. */
  readonly grouped: boolean;
}

function unitTable(units: string): Uint8Array {
  const table = new Uint8Array(0x80);
  for (const unit of units) table[unit.charCodeAt(0)] = 1;
  return table;
}

const FEWEST_DIGITS = 5;
const MOST_DIGITS = 15;

/** The offsets at which a number can end: after each digit group, ascending. */
interface Ends {
  count: number;
  readonly at: Int32Array;
  readonly digits: Int32Array;
  /** Whether the row of digits continues after the last end. */
  cut: boolean;
}

/** Fills `ends` without allocating, since most rows of digits are not telephone numbers. */
function findEnds(text: string, start: number, ends: Ends): void {
  let digits = 0;
  let gap = 0;
  ends.count = 0;
  ends.cut = false;
  const limit = Math.min(text.length, start + MAX_NUMBER);
  for (let at = start; at < limit; at++) {
    const unit = text.charCodeAt(at);
    if (isDigit(unit)) {
      if (digits === MOST_DIGITS) {
        ends.cut = true;
        return;
      }
      digits++;
      gap = 0;
      const next = at + 1 < text.length ? text.charCodeAt(at + 1) : 0;
      if (next < 0x80 && goesOn[next] === 1) continue;
      ends.at[ends.count] = at + 1;
      ends.digits[ends.count++] = digits;
    } else if (unit === PLUS ? at > start + 1 : unit >= 0x80 || separates[unit] === 0 || ++gap > 3) return;
  }
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= 0x39;
}

const CONTEXT = {
  words: [
    'phone*',
    'tel',
    'telephone',
    'telefon*',
    'téléphone',
    'teléfono',
    'telefono',
    'mobile',
    'mobil',
    'cell*',
    'fax',
    'call',
    'call me',
    'call me on',
    'call me at',
    'callback',
    'sms',
    'whatsapp',
    'contact',
    'dial',
    'desk',
    'handy',
    'móvil',
    'portable',
    'hotline',
    'registered',
    'messages to',
    'reach me',
    'reach us',
    'ring',
    'text me',
    'telegram',
    'viber',
    'celular',
    'telemóvel',
    'rufnummer*',
    'telefoon*',
    'puhelin*',
    'tlf',
    'тел.',
    'телефон*',
    'моб.',
    'τηλ.',
    'τηλέφωνο*',
    'هاتف',
    'फ़ोन',
    'फोन',
    '电话',
    '電話',
    '手机',
    '手機',
    '携帯',
    '전화*',
    '휴대폰',
  ],
  windowUnits: 25,
};
const AGAINST = {
  words: [
    'id',
    'ids',
    'order',
    'invoice',
    'barcode',
    'ean',
    'gtin',
    'imei',
    'upc',
    'isbn',
    'issn',
    'serial',
    'ticket',
    'sku',
    'ref',
    'reference',
    'version',
    'pid',
    'port',
    'ssn',
  ],
  windowUnits: 6,
};

/** The start of a possible number that is truncated by the end of the text or depends on the next characters. */
function undecidedPhone(text: string): number {
  const from = Math.max(0, text.length - MAX_NUMBER - 16);
  const tail = text.slice(from);
  for (const { index } of tail.matchAll(/[+(]{1,2}$|[+(]{0,2}(?<!\d)\d/g)) {
    NUMBER_START.lastIndex = index;
    const number = NUMBER_START.exec(tail);
    if (number === null || OPEN_END.test(tail.slice(number.index + number[0].length))) return from + index;
  }
  return text.length;
}

/**
 * Finds telephone numbers: every plausible prefix of a digit run is judged by its shape, by numbering plans
 * (libphonenumber) and by the words before it.
 */
export function phoneFinder(regions: readonly CountryCode[]): Finder<'PHONE'> {
  const plans = regions.map(planTest);
  return {
    code: 'PHONE',
    trigger: { on: 'sign', minDigits: 5 },
    maxLength: MAX_NUMBER + 16,
    behind: 4,
    context: CONTEXT,
    against: AGAINST,
    // Digits and separators, at least as many units as the shortest number has digits.
    begins: /[+(\d][\d ().\-/+]{4}/,
    find: (text, start, info) => findPhone(text, start, info, plans),
    undecided: undecidedPhone,
  };
}

/** Reused for every position to avoid allocations. */
const ends: Ends = { count: 0, at: new Int32Array(MOST_DIGITS), digits: new Int32Array(MOST_DIGITS), cut: false };

function findPhone(
  text: string,
  start: number,
  { inContext, key }: FindInfo,
  plans: readonly PlanTest[],
): Found | undefined {
  const before = start === 0 ? 0 : text.charCodeAt(start - 1);
  const first = text.charCodeAt(start);
  if (isDigit(first) && (before < 0x80 ? joins[before] === 1 : before === EURO || before === POUND)) return undefined;
  if (before === SPACE && /\dx? x $/i.test(text.slice(Math.max(0, start - 4), start))) return undefined;
  const continued = (before === SPACE || before === DASH) && start > 1 && isDigit(text.charCodeAt(start - 2));
  findEnds(text, start, ends);
  for (let index = ends.count - 1; index >= 0; index--) {
    const end = ends.at[index]!;
    const count = ends.digits[index]!;
    const grouped = count < end - start;
    const after = end < text.length ? text.charCodeAt(end) : 0;
    const labelled = inContext || (beginsLabel[after] === 1 && LABEL_AFTER.test(text.slice(end, end + 14)));
    const alone = standsAlone({ text, start, end, key });
    if (count < FEWEST_DIGITS || (count < 7 && !labelled && !alone)) continue;
    const extension = beginsExtension[after] === 1 ? EXTENSION.exec(text.slice(end, end + 16)) : null;
    const lone = alone || (extension !== null && count > 9);
    // Most rows of digits fail here: there is no evidence that they are telephone numbers.
    if (!grouped && !labelled && !lone && first !== ZERO) continue;
    const written = text.slice(start, end);
    const candidate = { text: written, digits: grouped ? written.replace(/\D/g, '') : written, grouped };
    // Without a word that announces a number, some groups of a longer row of digits do not count as a number.
    const partial = ends.cut || index < ends.count - 1;
    if ((partial || continued) && !labelled && first !== PLUS && !isNanp(candidate)) continue;
    const score = judge(candidate, plans, labelled, lone);
    if (score === 0) continue;
    return { end: end + (extension?.[0].length ?? 0), score };
  }
  return undefined;
}

const SPACE = 0x20;
const PLUS = 0x2b;
const DASH = 0x2d;
const ZERO = 0x30;
const POUND = 0xa3;
const EURO = 0x20ac;

/** Whether the number is grouped as in North America; ungrouped digits do not count. */
function isNanp({ text, grouped }: Candidate): boolean {
  return grouped && NANP.test(text);
}

function judge(candidate: Candidate, plans: readonly PlanTest[], labelled: boolean, alone: boolean): number {
  const { text, digits, grouped } = candidate;
  const short = digits.length < 7;
  if (short && ((!labelled && !alone) || digits.length < FEWEST_DIGITS)) return 0;
  if (grouped && isUnlikely(text, labelled || alone)) return 0;
  if (text.startsWith('+') || text.startsWith('(+') || /^00[1-9]/.test(digits))
    return judgeInternational(candidate, labelled);
  if (short) return 0.5;
  if (digits.length > 13) return 0;
  if (isNanp(candidate)) return labelled ? 0.9 : 0.75;
  if (labelled) return 0.8;
  const plausible = grouped || alone || (digits.startsWith('0') && digits.length < 12);
  const valid = plausible && isValidAnywhere(text, digits, plans);
  if (valid) return grouped || digits.startsWith('0') ? 0.6 : 0.5;
  // A text of ten or more ungrouped digits that matches no plan is more likely an order or account number.
  return alone && (grouped || digits.length < 10) ? 0.5 : 0;
}

/** Runs the quick checks first, since one certain plan is enough. */
function isValidAnywhere(text: string, digits: string, plans: readonly PlanTest[]): boolean {
  return plans.some(({ surely }) => surely(text, digits)) || plans.some(({ isValid }) => isValid(text, digits));
}

/** Whether the shape and separators suggest another kind of number; `announced` accepts shapes that are merely unlikely. */
function isUnlikely(text: string, announced: boolean): boolean {
  if (NEVER.test(text) || (!announced && UNLIKELY.test(text))) return true;
  return (
    text.includes('(') !== text.includes(')') || (text.match(/\(/g)?.length ?? 0) !== (text.match(/\)/g)?.length ?? 0)
  );
}

function judgeInternational({ text, digits }: Candidate, labelled: boolean): number {
  if (digits.length < 7) return 0;
  const number = parsePhoneNumberFromString(text.replace(/^\(?\+|^00/, '+').replace('(0)', ''));
  if (number?.isValid() === true) return 0.95;
  if (number?.isPossible() === true || labelled) return 0.75;
  return number !== undefined && digits.length > 7 ? 0.6 : 0;
}
