/** Texts generated from a seed: they contain no real data, and are the same in every run and on every machine. */
import { seededRandom } from '../../test/support/seeded-random.js';

export interface Planted {
  readonly kind: 'personal' | 'secret';
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

export interface Sample {
  readonly text: string;
  readonly planted: readonly Planted[];
}

/** Source of all random choices for a text. */
class Dice {
  constructor(private readonly random: () => number) {}

  below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  of<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }

  from(alphabet: string, length: number): string {
    return Array.from({ length }, () => alphabet[this.below(alphabet.length)]).join('');
  }

  digits(length: number): string {
    return this.from('0123456789', length);
  }
}

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const ALNUM = `${UPPER}${LOWER}0123456789`;
const HEX = '0123456789abcdef';

const GIVEN = ['olivia', 'noah', 'amara', 'mateo', 'ingrid', 'ravi', 'chloe', 'tomas'];
const FAMILY = ['okafor', 'lindqvist', 'moreau', 'castillo', 'weber', 'banerjee', 'novak', 'hughes'];

/** The last digit that makes a card number pass Luhn's check (ISO/IEC 7812-1, annex B). */
function luhnDigit(digits: string): number {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return (10 - (sum % 10)) % 10;
}

/** The check digits of an IBAN (ISO 13616, ISO/IEC 7064 MOD 97-10). */
function ibanCheck(country: string, account: string): string {
  const numeric = `${account}${country}00`.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  const rest = [...numeric].reduce((remainder, digit) => (remainder * 10 + Number(digit)) % 97, 0);
  return String(98 - rest).padStart(2, '0');
}

const PERSONAL: readonly ((dice: Dice) => string)[] = [
  (dice) =>
    `${dice.of(GIVEN)}.${dice.of(FAMILY)}${dice.below(90)}@${dice.of(['mailbox', 'posteo', 'harbor-lane'])}.net`,
  (dice) => `(${dice.of(['212', '415', '617', '303'])}) ${dice.of(['555', '867', '234'])}-${dice.digits(4)}`,
  (dice) => `+44 20 ${dice.of(['7946', '7123', '8365'])} ${dice.digits(4)}`,
  (dice) => {
    const number = `${dice.of(['4111', '5425', '4539', '5105'])}${dice.digits(11)}`;
    return `${number}${luhnDigit(number)}`.replace(/(\d{4})(?=\d)/g, '$1 ');
  },
  (dice) => {
    const account = `${dice.digits(8)}${dice.digits(10)}`;
    return `DE${ibanCheck('DE', account)}${account}`;
  },
  (dice) => `${dice.of(['219', '457', '523'])}-${dice.of(['09', '34', '71'])}-${1000 + dice.below(8999)}`,
  (dice) => `${dice.of(['81', '93', '185'])}.${dice.below(256)}.${dice.below(256)}.${1 + dice.below(254)}`,
];

const SECRETS: readonly ((dice: Dice) => string)[] = [
  (dice) => `AKIA${dice.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)}`,
  (dice) => `ghp_${dice.from(ALNUM, 36)}`,
  (dice) => `sk_live_${dice.from(ALNUM, 24)}`,
  (dice) => `xoxb-${dice.digits(12)}-${dice.digits(12)}-${dice.from(ALNUM, 24)}`,
  (dice) => `glpat-${dice.from(ALNUM, 20)}`,
  (dice) => `SG.${dice.from(ALNUM, 22)}.${dice.from(ALNUM, 43)}`,
  (dice) => `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI${dice.from(ALNUM, 20)}In0.${dice.from(ALNUM, 43)}`,
  (dice) => `-----BEGIN PRIVATE KEY-----\n${dice.from(ALNUM, 64)}\n${dice.from(ALNUM, 64)}\n-----END PRIVATE KEY-----`,
];

const PERSONAL_FRAMES = [
  'You can reach the customer at @ during office hours.',
  'Please update the record: @, as agreed on the phone.',
  'The form that came in this morning says @ and nothing else.',
  'Her contact is @; write to her before Friday.',
];
const SECRET_FRAMES = [
  'export SERVICE_TOKEN=@',
  'The build failed while using @ for the upload.',
  'config: { "credential": "@" }',
  'I pasted @ into the chat by mistake.',
];
/** Harmless sentences with typical false positives: versions, dates, amounts, times, identifiers. */
const FILLER: readonly ((dice: Dice) => string)[] = [
  () => 'The team met on Thursday and agreed to move the review by a week.',
  (dice) => `Version ${dice.below(9)}.${dice.below(30)}.${dice.below(20)} fixes the import of large files.`,
  (dice) => `Revenue grew by ${dice.below(40)}.${dice.below(10)} % to ${1 + dice.below(900)},${dice.digits(3)} units.`,
  (dice) => `Order ${dice.digits(6)} was shipped in ${2 + dice.below(6)} parcels from hall ${1 + dice.below(9)}.`,
  () => 'Summarise the notes in three bullet points and name the open questions.',
  () => 'Could you explain how the cache decides which entries to drop first?',
  (dice) => `See section ${1 + dice.below(9)}.${1 + dice.below(9)} of the handbook, page ${10 + dice.below(400)}.`,
  () => 'Most readers will skip this paragraph, and that is fine with us.',
  (dice) => `The job took ${dice.below(60)} minutes and ${dice.below(60)} seconds on the small machine.`,
  () => 'He asked whether the new office has enough room for the workshop in spring.',
];
/** FILLER, and lines from logs and code reviews. */
const TECHNICAL: readonly ((dice: Dice) => string)[] = [
  ...FILLER,
  (dice) => `The commit ${dice.from(HEX, 40)} changed ${2 + dice.below(60)} files.`,
  (dice) => `const limit = ${dice.below(5000)}; // requests per minute, see readLimits()`,
  (dice) => `GET /v1/items/${dice.digits(8)} 200 ${dice.below(900)} ms trace=${dice.from(HEX, 32)}`,
];

function sentences(dice: Dice, count: number, planted: Planted[], plantEvery: number): string {
  let text = '';
  for (let index = 0; index < count; index++) {
    if (index > 0) text += dice.below(5) === 0 ? '\n\n' : ' ';
    if (plantEvery === 0 || dice.below(plantEvery) !== 0) {
      text += dice.of(plantEvery === 0 ? TECHNICAL : FILLER)(dice);
      continue;
    }
    const kind = dice.below(2) === 0 ? 'personal' : 'secret';
    const value = dice.of(kind === 'personal' ? PERSONAL : SECRETS)(dice);
    const [before, after] = dice.of(kind === 'personal' ? PERSONAL_FRAMES : SECRET_FRAMES).split('@');
    const start = text.length + before!.length;
    text += before! + value + after!;
    planted.push({ kind, value, start, end: start + value.length });
  }
  return text;
}

/**
 * Prose in pieces of about 2 kB, with a value planted in one of `plantEvery` sentences. With 0, nothing is planted, and lines of logs
 * and code are mixed in.
 */
export function prose(seed: number, pieces: number, plantEvery = 12): Sample[] {
  const dice = new Dice(seededRandom(seed));
  return Array.from({ length: pieces }, () => {
    const planted: Planted[] = [];
    return { text: sentences(dice, 32, planted, plantEvery), planted };
  });
}

/** JSON of tool results in pieces of about 2 kB: records of orders, some of them with a planted value. */
export function json(seed: number, pieces: number): Sample[] {
  const dice = new Dice(seededRandom(seed));
  return Array.from({ length: pieces }, () => {
    const values: Omit<Planted, 'start' | 'end'>[] = [];
    const rows = Array.from({ length: 7 }, (_, index) => {
      const plant = dice.below(3) === 0;
      const value = plant ? dice.of(PERSONAL)(dice) : 'none';
      if (plant) values.push({ kind: 'personal', value });
      return {
        order_id: `#W${dice.digits(7)}`,
        status: dice.of(['pending', 'delivered', 'cancelled']),
        position: index,
        created_at: `2026-0${1 + dice.below(9)}-${10 + dice.below(18)}T${10 + dice.below(13)}:${10 + dice.below(49)}:00Z`,
        price: dice.below(90_000) / 100,
        fulfilments: [{ tracking_id: [dice.digits(12)], item_ids: [dice.digits(10), dice.digits(10)] }],
        note: dice.of(TECHNICAL)(dice),
        contact: value,
      };
    });
    const text = JSON.stringify({ orders: rows }, null, 1);
    const planted = values.map(({ kind, value }) => {
      const start = text.indexOf(value);
      return { kind, value, start, end: start + value.length };
    });
    return { text, planted };
  });
}
