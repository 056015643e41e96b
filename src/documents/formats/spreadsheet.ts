import { textOfBytes } from '../../core/index.js';
import { OverLimit } from '../reading.js';
import { parseMarkup } from './markup-parser.js';
import { Lines, maybeEmbeds, prefixOf, unprefixed } from './markup.js';
import { wholeNumberOf } from './whole-number.js';
import type { ZipMember } from './zip.js';

const XML = { xmlMode: true, decodeEntities: true };

/** The sheets of one workbook, with their shared strings. */
export class Sheets {
  private readonly shared: SharedStrings;
  /** The part whose strings are shown in the cells of the sheets. */
  private readonly stringsPart: Buffer | undefined;
  private readonly hasOtherStrings: boolean;
  private readonly used = new Set<number>();

  constructor(members: readonly ZipMember[]) {
    const parts = members
      .map(({ bytes }) => bytes)
      .filter((bytes) => bytes !== undefined && rootOf(textOfBytes(bytes)?.text ?? '') === 'sst');
    this.stringsPart = parts[0];
    this.hasOtherStrings = parts.length > 1;
    this.shared = sharedStrings(this.stringsPart === undefined ? '' : (textOfBytes(this.stringsPart)?.text ?? ''));
  }

  /** Whether the shared strings, which are shown in the cells of the sheets, are all texts of a part. */
  isRead(bytes: Buffer): boolean {
    return bytes === this.stringsPart && !this.shared.hasOthers;
  }

  isSheet(text: string): boolean {
    return SHEET.test(rootOf(text) ?? '');
  }

  /**
   * @param mostChars the maximum number of characters of the values
   * @throws OverLimit
   */
  read(xml: string, mostChars: number): SheetTexts {
    return sheetTexts(xml, this.shared.strings, this.used, mostChars);
  }

  /** Whether another reader could find other strings in the cells. */
  get isAmbiguous(): boolean {
    return this.used.size > 0 && (this.hasOtherStrings || this.shared.isAmbiguous);
  }

  /** The strings that no cell shows. */
  get unused(): string[] {
    return this.shared.strings.filter((_, index) => !this.used.has(index));
  }
}

const SHEET = /^(?:worksheet|macrosheet)$/;
const ROOT = /<([^\s<>/]+)/y;
/** The beginnings and ends of what can precede the root element. */
const BEFORE_ROOT: readonly (readonly [string, string])[] = [
  ['<!--', '-->'],
  ['<?', '?>'],
  ['<!', '>'],
];

/** The name of the root element of an XML text, without its prefix; undefined if there is none. */
function rootOf(text: string): string | undefined {
  let at = text.startsWith('\ufeff') ? 1 : 0;
  for (;;) {
    while (/\s/.test(text.charAt(at))) at++;
    const skipped = BEFORE_ROOT.find(([start]) => text.startsWith(start, at));
    if (skipped === undefined) break;
    const end = text.indexOf(skipped[1], at + skipped[0].length);
    if (end < 0) return undefined;
    at = end + skipped[1].length;
  }
  ROOT.lastIndex = at;
  const name = ROOT.exec(text)?.[1];
  return name === undefined ? undefined : unprefixed(name);
}

/** The strings to which cells of all sheets refer by index. */
interface SharedStrings {
  readonly strings: readonly string[];
  /** Whether the part contains text outside of the strings. */
  readonly hasOthers: boolean;
  /** Whether a string is in an unusual place, so that readers could count the strings differently. */
  readonly isAmbiguous: boolean;
}

function sharedStrings(xml: string): SharedStrings {
  const strings: string[] = [];
  const found = { hasOthers: false, isAmbiguous: false };
  const elements: string[] = [];
  let item: { readonly lines: Lines; readonly depth: number } | undefined;
  parseMarkup(
    xml,
    {
      onopentag(name, attributes) {
        if (unprefixed(name) === 'si') {
          const [root = ''] = elements;
          if (elements.length !== 1 || prefixOf(name) !== prefixOf(root)) found.isAmbiguous = true;
          item ??= { lines: new Lines(true), depth: elements.length };
        }
        elements.push(name);
        item?.lines.open(name, attributes);
      },
      ontext(text) {
        if (item !== undefined) item.lines.add(text);
        else if (/\S/.test(text)) found.hasOthers = true;
      },
      onclosetag(name) {
        elements.pop();
        item?.lines.close(name);
        if (item === undefined || elements.length > item.depth) return;
        strings.push(textOfItem(item.lines));
        item = undefined;
      },
    },
    XML,
  );
  return { strings, ...found };
}

/** The text of a string or of a cell with and without phonetic guides. */
function textOfItem({ text, seen }: Lines): string {
  return unescaped(seen === text ? text.trim() : `${text.trim()}\n${seen.trim()}`);
}

/** What a sheet contains. */
interface SheetTexts {
  /** The displayed values and formulas row by row, with tabs between cells. */
  readonly text: string;
  /** Values that can contain a file in base64. */
  readonly embedding: readonly string[];
  /** Whether the part contains text that does not belong to a sheet. */
  readonly hasOthers: boolean;
}

/** @param used collects the indices of the referenced strings */
function sheetTexts(xml: string, strings: readonly string[], used: Set<number>, mostChars: number): SheetTexts {
  const reading = new SheetReading(strings, used, mostChars);
  parseMarkup(
    xml,
    {
      onopentag: (name, attributes) => reading.open(name, attributes),
      ontext: (text) => reading.add(text),
      onclosetag: (name) => reading.close(name),
    },
    XML,
  );
  return reading.texts;
}

const HEADER = /^(?:odd|even|first)(?:Header|Footer)$/;
/** Elements whose text is read as a whole, whatever the parser splits it at. */
const WHOLE = /^(?:v|f|is|(?:odd|even|first)(?:Header|Footer))$/;
/** Other elements of sheets that contain text: conditions, ranges, positions of drawings and identifiers. */
const PLAIN = /^(?:formula[12]?|sqref|row|rowOff|col|colOff|id)$/;

/** An element that is read as a whole. */
interface Whole {
  readonly name: string;
  /** The number of elements around it. */
  readonly depth: number;
  /** The text of a cell in pieces, as in a shared string. */
  readonly item: Lines | undefined;
}

class SheetReading {
  private readonly out: string[] = [];
  private chars = 0;
  private readonly embedding = new Set<string>();
  private hasOthers = false;
  private readonly elements: string[] = [];
  private type: string | undefined;
  /** Whether the current cell has a value. */
  private hasValue = false;
  /** The text since the last tag, or since the beginning of the element that is read as a whole. */
  private pending = '';
  private whole: Whole | undefined;

  constructor(
    private readonly strings: readonly string[],
    private readonly used: Set<number>,
    private readonly mostChars: number,
  ) {}

  get texts(): SheetTexts {
    this.endText();
    return { text: this.out.join(''), embedding: [...this.embedding], hasOthers: this.hasOthers };
  }

  open(qualified: string, attributes: Readonly<Record<string, string>>): void {
    const name = unprefixed(qualified);
    if (this.whole === undefined) {
      this.endText();
      if (name === 'c') [this.type, this.hasValue] = [attributes.t, false];
      const item = name === 'is' ? new Lines(true) : undefined;
      if (WHOLE.test(name)) this.whole = { name, depth: this.elements.length, item };
    } else if (this.whole.item === undefined) this.hasOthers = true;
    this.elements.push(name);
    this.whole?.item?.open(qualified, attributes);
  }

  add(text: string): void {
    if (this.whole?.item === undefined) this.pending += text;
    else this.whole.item.add(text);
  }

  close(qualified: string): void {
    const { whole } = this;
    if (whole === undefined) this.endText();
    whole?.item?.close(qualified);
    this.elements.pop();
    if (whole !== undefined && this.elements.length > whole.depth) return;
    if (whole !== undefined) this.endWhole(whole);
    const name = unprefixed(qualified);
    if (name === 'c') this.out.push('\t');
    if (name === 'row') this.out.push('\n');
  }

  private endText(): void {
    const text = this.pending;
    this.pending = '';
    if (!/\S/.test(text)) return;
    this.show(unescaped(text));
    this.out.push('\n');
    if (!PLAIN.test(this.elements.at(-1) ?? '')) this.hasOthers = true;
  }

  private endWhole({ name, item }: Whole): void {
    const text = item === undefined ? this.pending : textOfItem(item);
    this.pending = '';
    this.whole = undefined;
    if (name === 'f') {
      this.show(...readTwice(text, withStringsJoined));
      this.out.push(' ');
    } else if (HEADER.test(name)) {
      this.show(...readTwice(text, withoutCodes));
      this.out.push('\n');
    } else {
      // A second value in a cell is not a continuation of the first.
      if (this.hasValue) this.out.push('\n');
      this.hasValue = true;
      this.show(item === undefined ? this.valueOf(text) : text);
    }
  }

  /** The displayed value of a cell. */
  private valueOf(written: string): string {
    if (this.type === undefined || this.type === 'n') return withWholeNumber(written);
    if (this.type !== 's') return unescaped(written);
    const index = Number(written);
    this.used.add(index);
    return this.strings[index] ?? unescaped(written);
  }

  /** Many cells can refer to one long string, so the text is limited before it is put together. */
  private show(...texts: readonly string[]): void {
    for (const text of texts) {
      this.chars += text.length;
      if (this.chars > this.mostChars) throw new OverLimit();
      this.out.push(text);
      if (maybeEmbeds(text)) this.embedding.add(text);
    }
  }
}

/** A number, before it also without exponent and fraction of zeros: Apache POI writes the number of an account as `5.36904399E8`. */
function withWholeNumber(written: string): string {
  const whole = wholeNumberOf(written.trim());
  return whole === undefined ? unescaped(written) : `${whole}\t${written}`;
}

function readTwice(text: string, read: (text: string) => string): string[] {
  const made = read(text);
  return made === text ? [text] : [text, '\n', made, '\n'];
}

/** Fonts, sizes, colours, styles and fields in headers and footers (ECMA-376 part 1, 18.3.1.46). */
const HEADER_CODE = /&(?:"[^"]*"|K(?:[0-9A-F]{6}|\d\d[+-]\d{3})|\d{1,3}|[A-Z]|(&))/gi;

function withoutCodes(header: string): string {
  return header.replace(HEADER_CODE, (code, ampersand: string | undefined) =>
    /^&[LCR]$/i.test(code) ? '\n' : (ampersand ?? ''),
  );
}

/** Joins adjacent string literals of a formula. */
function withStringsJoined(formula: string): string {
  return formula
    .replace(/\b(?:UNI)?CHAR\s*\(\s*(\d{1,5})\s*\)/gi, (_, code: string) => `"${String.fromCharCode(Number(code))}"`)
    .replace(/"\s*[&,;]\s*"/g, '');
}

/** Decodes characters written as code numbers (ECMA-376 part 1, 22.9.2.19). */
function unescaped(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
