import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js';
import type { FindInfo, Finder, Found } from '../../src/core/index.js';
import { standsAlone } from './identifier.js';
import { planTest, type PlanTest } from './phone-plan.js';

const MAX_NUMBER = 32;
const EXTENSION = /^ ?(?:x|ext\.?|extension|#|;ext=) ?\d{1,6}(?!\d)/i;
/** A label may follow the number, as in a letterhead; read within the finder's length. */
const LABEL_AFTER = /^ ?[-(,]? ?(?:office|fax|mobile|cell|home|work|desk|direct|phone|tel)\b/i;
/** What may follow a number for it not to be decided: nothing, marks, or the beginning of an extension or a label. */
const OPEN_END = /^(?:[\s"'.;]{0,4}| ?[-(,#;x]? ?[a-z.=]{0,10} ?\d{0,7})$/i;
const NUMBER_START = /[+(]{0,2}(?<!\d)\d[\d ().\-/+]{0,31}/y;
const NANP = /^(?:1[-. ]?)?(?:\(\d{3}\) ?\d{3}[-. ]?\d{4}|\d{3}([-. /])\d{3}[-.]\d{4}|\d{3} \d{3} \d{4})$/;
/** Shapes of other numbers, that no word makes a telephone number. */
const NEVER =
  /^(?:\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,3})?|\d{4}(?:[ -]\d{4}){3}|(?:19|20)\d{2}[-./]{1,2}\d{1,2}[-./]{1,2}\d{1,2}(?: .*)?|\d{1,2}[-./]\d{1,2}[-./](?:19|20)?\d{2}(?: .*)?|(?:19|20)\d{2}-(?:19|20)\d{2})$/;
/** Shapes that are more often something else: amounts, ranges, decimals, identity numbers, a house number and a street's. */
const UNLIKELY =
  /^(?:\d{1,3}(?:[ .]\d{3}){1,4}|\d{1,8}\.\d{1,8}|[1-9]\d{0,7}[ -]\d{1,8}|\d{3,4}-\d{2}-\d{4}|(?:19|20)\d{6} .*|.*\d[ ]?\.[ ].*)$/;

/** Units after a number with which an extension or a label may begin: looked at before the expressions are. */
const beginsExtension = unitTable(' xXeE#;');
const beginsLabel = unitTable(' -(,ofmchwdptOFMCHWDPT');
/** A number does not begin right behind one of these. */
const JOINS = /[\w@#$€£%=/.-]/;

interface Candidate {
  readonly text: string;
  readonly digits: string;
  readonly end: number;
  /** Something stands between its digits, or before them. */
  readonly grouped: boolean;
  /** The row of digits goes on after the candidate. */
  readonly partial: boolean;
}

function unitTable(units: string): Uint8Array {
  const table = new Uint8Array(0x80);
  for (const unit of units) table[unit.charCodeAt(0)] = 1;
  return table;
}

/** Prefixes of the digits and separators at `start` that end after a digit group, the longest first. */
function candidates(text: string, start: number): Candidate[] {
  const found: Candidate[] = [];
  let digits = '';
  let gap = 0;
  let partial = false;
  const limit = Math.min(text.length, start + MAX_NUMBER);
  let at = start;
  for (; at < limit; at++) {
    const character = text[at]!;
    if (character >= '0' && character <= '9') {
      if (digits.length === 15) {
        partial = true;
        break;
      }
      digits += character;
      gap = 0;
      const next = text[at + 1] ?? '';
      if (!/[0-9A-WYZa-wyz_@]/.test(next)) {
        const grouped = digits.length <= at - start;
        found.push({
          text: grouped ? text.slice(start, at + 1) : digits,
          digits,
          end: at + 1,
          grouped,
          partial: false,
        });
      }
    } else if (character === '+' ? at > start + 1 : !/[ ().\-/]/.test(character) || ++gap > 3) break;
  }
  return found.reverse().map((candidate, index) => ({ ...candidate, partial: partial || index > 0 }));
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

/** Where a number may have begun that the end of the text cuts off, or that only its next characters decide. */
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
    find: (text, start, info) => findPhone(text, start, info, plans),
    undecided: undecidedPhone,
  };
}

function findPhone(
  text: string,
  start: number,
  { inContext, key }: FindInfo,
  plans: readonly PlanTest[],
): Found | undefined {
  const before = start === 0 ? 0 : text.charCodeAt(start - 1);
  if (before !== SPACE && before !== QUOTE && JOINS.test(text.charAt(start - 1)) && !/^[(+]/.test(text[start]!))
    return undefined;
  if (before === SPACE && /\dx? x $/i.test(text.slice(Math.max(0, start - 4), start))) return undefined;
  const continued = (before === SPACE || before === DASH) && /\d[ -]$/.test(text.slice(Math.max(0, start - 2), start));
  for (const candidate of candidates(text, start)) {
    const after = candidate.end < text.length ? text.charCodeAt(candidate.end) : 0;
    const labelled =
      inContext || (beginsLabel[after] === 1 && LABEL_AFTER.test(text.slice(candidate.end, candidate.end + 14)));
    // Without a word to say so, a few groups of a longer row of digits are no number of their own.
    if ((candidate.partial || continued) && !labelled && text[start] !== '+' && !isNanp(candidate)) continue;
    const alone = standsAlone({ text, start, end: candidate.end, key });
    const extension =
      beginsExtension[after] === 1 ? EXTENSION.exec(text.slice(candidate.end, candidate.end + 16)) : null;
    const score = judge(candidate, plans, labelled, alone || (extension !== null && candidate.digits.length > 9));
    if (score === 0) continue;
    return { end: candidate.end + (extension?.[0].length ?? 0), score };
  }
  return undefined;
}

const SPACE = 0x20;
const QUOTE = 0x22;
const DASH = 0x2d;

/** As written in North America. A row of digits without anything between is not. */
function isNanp({ text, grouped }: Candidate): boolean {
  return grouped && NANP.test(text);
}

function judge(candidate: Candidate, plans: readonly PlanTest[], labelled: boolean, alone: boolean): number {
  const { text, digits, grouped } = candidate;
  const short = digits.length < 7;
  if (short && ((!labelled && !alone) || digits.length < 5)) return 0;
  if (grouped && isUnlikely(text, labelled || alone)) return 0;
  if (text.startsWith('+') || text.startsWith('(+') || /^00[1-9]/.test(digits))
    return judgeInternational(candidate, labelled);
  if (short) return 0.5;
  if (digits.length > 13) return 0;
  if (isNanp(candidate)) return labelled ? 0.9 : 0.75;
  if (labelled) return 0.8;
  const plausible = grouped || alone || (digits.startsWith('0') && digits.length < 12);
  const valid = plausible && plans.some((isValid) => isValid(text, digits));
  if (valid) return grouped || digits.startsWith('0') ? 0.6 : 0.5;
  // A lone row of ten digits or more that no plan knows is an order or an account sooner than a telephone.
  return alone && (grouped || digits.length < 10) ? 0.5 : 0;
}

/** Whether what stands between the digits makes them something else; a word that announces a number counts for it. */
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
