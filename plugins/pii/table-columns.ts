/**
 * Numbers in the columns of tables. A check digit alone is weak evidence there: a column holds many numbers, of which some pass a check by
 * chance.
 */
import {
  regexExtent,
  type Finding,
  type OpenStream,
  type Pattern,
  type Scan,
  type ScanStream,
  type Settled,
} from '../../src/core/plugin-api.js';
import type { PiiCode } from './codes.js';
import { SCORES } from './identifier.js';
import { AMERICAS_AFRICA_PATTERNS } from './national/americas-africa.js';
import { ASIA_PACIFIC_PATTERNS } from './national/asia-pacific.js';
import { EAST_PATTERNS } from './national/europe-east.js';
import { NORTH_PATTERNS } from './national/europe-north.js';
import { WEST_PATTERNS } from './national/europe-west.js';

/** The distance before a number, in units of the original text, within which rows of its table are read. */
export const COLUMN_UNITS = 1_024;
const MOST_ROWS = 16;
/** With fewer rows before a number, its column proves nothing. */
const FEWEST_ROWS = 2;

/**
 * The score of a number that only its checksum sets apart from the others of its column. It is the lowest score of these codes, so a policy
 * that sets none still has it reported, and the shipped policies, which set more, leave it out.
 */
const STRAY_SCORE = 0.5;

/** Numbers whose length is that of national identifiers with a checksum, without separators. */
const BARE = /^\d{11,14}$/;
const LINE_END = /\r\n|[\r\n]|\\r\\n|\\n/;
/** The end of a row's text before a number that fills its cell, and the two units after such a number. */
const CELL_BEFORE = /(?:^|([,;\t|])) ?"?$/;
const CELL_AFTER = /^[ "]?(?:$|[\r\n\\]|([,;\t|]))/;
/** The line below the heading of a table in Markdown. */
const RULE = /^[\s|:+-]*$/;
/** Words that announce numbers of people, besides the words of each identifier. */
const HEADING =
  /national|person|citizen|passport|patient|insurance|social|fiscal|tax|identit|identific|identid|steuer|ausweis|versicher|registre|documento|c[eé]dula|kimlik/;

const PATTERNS: readonly Pattern<PiiCode>[] = [
  ...NORTH_PATTERNS,
  ...WEST_PATTERNS,
  ...EAST_PATTERNS,
  ...ASIA_PACIFIC_PATTERNS,
  ...AMERICAS_AFRICA_PATTERNS,
];
/** Not VAT numbers: companies have them, and one of ten random numbers passes their check. */
const CHECKED = PATTERNS.filter(({ accepts, code }) => accepts !== undefined && code !== 'IT_VAT_CODE');
const CODES: ReadonlySet<PiiCode> = new Set(CHECKED.map(({ code }) => code));

/** By the number of digits: the identifiers that such a number may be. */
const BY_DIGITS: ReadonlyMap<number, readonly Pattern<PiiCode>[]> = new Map(
  [11, 12, 13, 14].map((digits) => [
    digits,
    CHECKED.filter(({ regex }) => {
      const { minLength, maxLength } = regexExtent(regex);
      return minLength <= digits && digits <= maxLength;
    }),
  ]),
);

/** Whether a number passes the check of any identifier, even if many random numbers pass that check. */
function passesAny(number: string): boolean {
  const candidates = BY_DIGITS.get(number.length) ?? [];
  return candidates.some(({ regex, accepts }) => regex.exec(number)?.[0] === number && accepts?.(number) === true);
}

/**
 * Lowers the score of a bare number of which only a checksum says that it is a national identifier, if it stands in a column of a table
 * whose rows before it mostly hold numbers that pass no such check, such as numbers of orders.
 */
export function withColumns(scan: Scan<PiiCode>): Scan<PiiCode> {
  const { stream } = scan;
  const judging: Scan<PiiCode> = (text, hint, shared) =>
    scan(text, hint, shared).map((finding) => judged(finding, text, 0));
  if (stream === undefined) return judging;
  const open: OpenStream<PiiCode> = (hint, codes) => new ColumnStream(stream(hint, codes));
  return Object.assign(judging, { stream: open });
}

class ColumnStream implements ScanStream<PiiCode> {
  /** The part of the text that later findings may need; `offset` is its start in the whole text. */
  private window = '';
  private offset = 0;

  constructor(private readonly inner: ScanStream<PiiCode>) {}

  push(piece: string): Settled<PiiCode> {
    this.window += piece;
    return this.settle(this.inner.push(piece));
  }

  end(): Settled<PiiCode> {
    return this.settle(this.inner.end());
  }

  private settle({ findings, upTo }: Settled<PiiCode>): Settled<PiiCode> {
    const { window, offset } = this;
    const settled = { findings: findings.map((finding) => judged(finding, window, offset)), upTo };
    const excess = upTo - COLUMN_UNITS - offset;
    // Not after every piece, to avoid copying the text each time.
    if (excess > COLUMN_UNITS) {
      this.window = window.slice(excess);
      this.offset += excess;
    }
    return settled;
  }
}

/** @param offset the start of `text` in the whole text */
function judged(finding: Finding<PiiCode>, text: string, offset: number): Finding<PiiCode> {
  if (finding.score !== SCORES.strong.running || !CODES.has(finding.code)) return finding;
  const start = finding.start - offset;
  const end = finding.end - offset;
  if (!BARE.test(text.slice(start, end))) return finding;
  return isStray(finding.code, text, { start, end, offset }) ? { ...finding, score: STRAY_SCORE } : finding;
}

interface Place {
  readonly start: number;
  readonly end: number;
  readonly offset: number;
}

function isStray(code: PiiCode, text: string, { start, end, offset }: Place): boolean {
  const number = text.slice(start, end);
  const rows = text.slice(Math.max(0, start - COLUMN_UNITS), start).split(LINE_END);
  const own = rows.pop() ?? '';
  // The first row is cut off, unless it is the first of the text.
  if (start + offset > COLUMN_UNITS) rows.shift();
  const before = CELL_BEFORE.exec(own);
  const after = CELL_AFTER.exec(text.slice(end, end + 2));
  if (before === null || after === null) return false;
  const separator = before[1] ?? after[1];
  const column = cellsOf(own, separator).length - 1;
  let others = 0;
  let valid = 0;
  for (const row of rows.reverse().slice(0, MOST_ROWS)) {
    if (RULE.test(row)) continue;
    const cell = cellsOf(row, separator)[column] ?? '';
    if (/[^\d\s"]/.test(cell)) {
      if (names(cell, code)) return false;
      break;
    }
    const other = cell.replace(/[\s"]/g, '');
    if (other.length !== number.length) continue;
    others++;
    if (passesAny(other)) valid++;
  }
  return others >= FEWEST_ROWS && (valid + 1) * 2 < others + 1;
}

/** The cells of a row; a separator between quotation marks is part of its cell. */
function cellsOf(row: string, separator: string | undefined): string[] {
  if (separator === undefined) return [row];
  if (!row.includes('"')) return row.split(separator);
  const cells: string[] = [];
  let isQuoted = false;
  let from = 0;
  for (let at = 0; at < row.length; at++) {
    if (row[at] === '"') isQuoted = !isQuoted;
    if (row[at] !== separator || isQuoted) continue;
    cells.push(row.slice(from, at));
    from = at + 1;
  }
  return [...cells, row.slice(from)];
}

/** Whether the heading of a column names numbers of this kind, or any numbers of people. */
function names(heading: string, code: PiiCode): boolean {
  const words = spaced(heading);
  if (HEADING.test(words)) return true;
  return PATTERNS.some(
    (pattern) => pattern.code === code && pattern.context?.words.some((word) => words.includes(spaced(word))) === true,
  );
}

/** The words of a name in lower case, with a space before, between and after them. */
function spaced(name: string): string {
  const apart = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return ` ${apart
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .join(' ')} `;
}
