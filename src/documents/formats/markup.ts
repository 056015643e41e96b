/** Texts of document formats: Office, PDF, HTML, RTF, archives. Each reader stops at its limits. */
import { parseMarkup } from './markup-parser.js';
import { NAMESPACE } from './namespaces.js';
import { wholeNumberOf } from './whole-number.js';

/** Elements whose texts are concatenated: a paragraph's runs, a table's cell, a string of a sheet. */
const PARAGRAPHS =
  /^(?:p|h|h[1-6]|si|is|td|th|li|dt|dd|span|a|b|i|em|strong|u|s|title|pre|code|label|option|text|tspan)$/;
/** Elements that readers show on lines of their own even in other paragraphs, such as in an item of a list. */
const BLOCKS = new RegExp(
  `^(?:${[
    'p|h|h[1-6]|li|dt|dd|pre|option|div|section|article|header|footer|main|nav|aside|ul|ol|dl|table|caption|tr',
    'blockquote|figure|figcaption|form|fieldset|legend|address|details|summary|center',
  ].join('|')})$`,
);
const BREAKS = /^(?:br|cr|hr|lb|line-break)$/;
const TABS = /^(?:tab|tc|td|th|table-cell|ptab)$/;
/** The ODF element for repeated spaces, which is empty. In HTML, an element of this name contains text that is struck through. */
const SPACES = 's';
/** Attribute values without words: numbers, colours, identifiers, namespaces. */
const NO_WORDS = new RegExp(
  `^(?:${[
    String.raw`-?\d{0,8}(?:\.\d+)?[a-z%]{0,3}`,
    String.raw`[A-Za-z_]{0,15}\d{0,6}`,
    '#?[0-9A-Fa-f]{3,8}',
    String.raw`\{?[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}?`,
    NAMESPACE,
  ].join('|')})$`,
);

const DATA_URL = /; {0,8}base64,/i;
/** Shorter texts contain no files in base64, except for data URLs. */
const SHORTEST_FILE = 64;

/** Attributes that describe something in words, even in a single one; the names are those of HTML and Office formats. */
const DESCRIBING =
  /^(?:alt|title|descr|desc|summary|label|caption|placeholder|prompt|content|value|aria-[a-z]+|href|src)$/;

/** The attribute with the number of a cell in OpenDocument (`office:value`). */
const NUMBER_OF_CELL = 'value';

/** The attribute with the whole page of a frame. */
const FRAME = 'srcdoc';
/** Pages in frames of pages in frames: each level doubles the signs with which its tags are written. */
const MAX_FRAMES = 3;

export interface MarkupTexts {
  /** Visible and hidden text, line by line. */
  readonly text: string;
  /** The text without hidden and deleted parts, field codes and phonetic guides. */
  readonly seen: string;
  /** The text with the white space that `text` leaves out because it is probably only indentation; undefined if there is none. */
  readonly spaced: string | undefined;
  /**
   * The text of each paragraph without the parts that some readers put elsewhere or leave out, such as text boxes, tracked changes and
   * annotations, which follow on lines of their own: with and without hidden text. Empty for a text without such parts.
   */
  readonly inPlace: readonly string[];
  /** Attribute values that can contain words: alternative texts, titles, link targets. */
  readonly attributes: string;
  /** Attribute values and comments that can contain a file in base64. */
  readonly embedding: readonly string[];
  /** Comments, declarations, processing instructions. */
  readonly comments: string;
}

/**
 * The texts of HTML or any XML, including hidden texts and scripts. Entities that the document itself declares are read in their
 * declaration and not expanded.
 *
 * @param depth the number of frames around this page, which are attributes of one another
 */
export function markupTexts(markup: string, isXml: boolean, depth = 0): MarkupTexts {
  const lines = new Lines(isXml);
  const attributes: string[] = [];
  const embedding: string[] = [];
  const comments: string[] = [];
  const comment = (text: string): void => {
    comments.push(text);
    if (maybeEmbeds(text)) embedding.push(text);
  };
  parseMarkup(
    markup,
    {
      onopentag: (name, given) => lines.open(name, given),
      // The attributes of an element do not contain one with the name of a property of all objects, such as `__proto__`.
      onattribute(key, value) {
        if (maybeEmbeds(value)) embedding.push(value);
        if (!NO_WORDS.test(value) || (value !== '' && DESCRIBING.test(localName(key)))) attributes.push(value);
        if (localName(key) === FRAME && depth < MAX_FRAMES) attributes.push(...textsOfFrame(value, depth));
        const whole = localName(key) === NUMBER_OF_CELL ? wholeNumberOf(value) : undefined;
        if (whole !== undefined) attributes.push(whole);
      },
      ontext: (text) => lines.add(text),
      onclosetag: (name) => lines.close(name),
      oncomment: comment,
      onprocessinginstruction: (_, text) => comment(text),
    },
    { xmlMode: isXml, decodeEntities: true, lowerCaseTags: !isXml, recognizeCDATA: true },
  );
  lines.end();
  const { text, seen, spaced, inPlace } = lines;
  return { text, seen, spaced, inPlace, attributes: attributes.join('\n'), embedding, comments: comments.join('\n') };
}

/** The texts of a page that is the value of an attribute. */
function textsOfFrame(page: string, depth: number): string[] {
  const { text, seen, inPlace, attributes, comments } = markupTexts(page, false, depth + 1);
  return [...new Set([text, seen, ...inPlace, attributes, comments])];
}

/** Whether a text can contain a file in base64. */
export function maybeEmbeds(value: string): boolean {
  return value.length >= SHORTEST_FILE || DATA_URL.test(value);
}

/** Whether a text declares entities, which readers expand differently. */
export function declaresEntities(markup: string): boolean {
  return /<!ENTITY/i.test(markup);
}

/** The name of an element or attribute without its prefix. */
export function unprefixed(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** The prefix of a name; empty if it has none. */
export function prefixOf(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf(':')));
}

function localName(name: string): string {
  return unprefixed(name).toLowerCase();
}

/** Concatenates the texts of a paragraph, and puts each paragraph on its own line. */
export class Lines {
  private readonly parts: string[] = [];
  private readonly seenParts: string[] = [];
  private readonly written = new PartsInPlace();
  private readonly visible = new PartsInPlace();
  private paragraphs = 0;
  private readonly elements: string[] = [];
  /** Depth of the outermost hidden element; undefined outside hidden elements. */
  private hiddenFrom: number | undefined;
  /** Depth of the outermost element whose text is not displayed in place, whatever its attributes are. */
  private omittedFrom: number | undefined;
  /** Depths of the open elements whose text is put aside. */
  private readonly asides: number[] = [];
  /** Whether the next text begins on a line of its own. */
  private breaks = false;
  /** The text since the last tag. The parser splits it at entities, comments and sections of characters. */
  private pending = '';
  /** The numbers of parts before which white space is left out. */
  private readonly leftOut: number[] = [];
  /** The number of parts before each open element for spaces. */
  private readonly spaces: number[] = [];
  /** Whether white space between the elements of a paragraph is text, by the declared prefixes of names. */
  private readonly keepsSpaces = new Map<string, boolean>();

  constructor(private readonly isXml: boolean) {}

  get text(): string {
    return this.parts.join('');
  }

  get seen(): string {
    return this.seenParts.join('');
  }

  get spaced(): string | undefined {
    if (this.leftOut.length === 0) return undefined;
    const pieces: string[] = [];
    let from = 0;
    for (const at of this.leftOut) {
      pieces.push(this.parts.slice(from, at).join(''), ' ');
      from = at;
    }
    pieces.push(this.parts.slice(from).join(''));
    return pieces.join('');
  }

  get inPlace(): string[] {
    return this.written.isNeeded ? [...new Set([this.written.text, this.visible.text])] : [];
  }

  open(qualified: string, attributes: Readonly<Record<string, string>>): void {
    this.end();
    this.noteNamespaces(attributes);
    const name = localName(qualified);
    this.elements.push(qualified);
    // In Office files a child element before the text marks its run as hidden.
    const vanishes = name === 'vanish' && !isSwitchedOff(attributes);
    const depth = vanishes ? this.elements.length - 2 : this.elements.length;
    if (vanishes || isHidden(name, attributes, this.isXml)) this.hiddenFrom ??= Math.max(1, depth);
    if (OMITTED.test(name)) this.omittedFrom ??= this.elements.length;
    // Outside of a paragraph such an element separates no text.
    if (this.paragraphs > 0 && ASIDE.test(name)) {
      this.asides.push(this.elements.length);
      for (const parts of [this.written, this.visible]) parts.open();
    }
    // Text that continues after a hidden block is shown as continued.
    if (BLOCKS.test(name) && this.hiddenFrom === undefined) this.breaks = true;
    if (PARAGRAPHS.test(name)) this.paragraphs++;
    if (name === 'sym') this.put(symbolOf(attributes));
    else if (name === 'nobreakhyphen') this.put('-');
    else if (BREAKS.test(name)) this.put('\n');
    else if (TABS.test(name)) this.put('\t');
    else if (name === SPACES && this.isXml) this.spaces.push(this.parts.length);
    else if (name === SPACES && prefixOf(qualified) !== '') this.put(' ');
  }

  add(text: string): void {
    this.pending += text;
  }

  close(qualified: string): void {
    this.end();
    const name = localName(qualified);
    if (name === SPACES && this.isXml && this.spaces.pop() === this.parts.length) this.put(' ');
    const isHiddenText = this.hiddenFrom !== undefined;
    this.elements.pop();
    if (this.hiddenFrom !== undefined && this.elements.length < this.hiddenFrom) this.hiddenFrom = undefined;
    if (this.omittedFrom !== undefined && this.elements.length < this.omittedFrom) this.omittedFrom = undefined;
    if (this.asides.at(-1) === this.elements.length + 1) {
      this.asides.pop();
      for (const parts of [this.written, this.visible]) parts.close();
      // The text continues after the part that is put aside.
      this.breaks = false;
    }
    const isParagraph = PARAGRAPHS.test(name);
    if (isParagraph && this.paragraphs > 0) this.paragraphs--;
    const isInline = /^(?:span|a|b|i|em|strong|u|s|code|label|tspan|r|t)$/.test(name);
    if (this.paragraphs === 0 && !isInline) this.put('\n');
    else if (BLOCKS.test(name) && !isHiddenText) this.breaks = true;
  }

  /** Ends the text since the last tag. */
  end(): void {
    const text = this.pending;
    if (text === '') return;
    this.pending = '';
    if (/\S/.test(text) || !this.isIndented()) this.put(text);
    else this.leftOut.push(this.parts.length);
  }

  /** Whether white space in the current element is probably only indentation. */
  private isIndented(): boolean {
    const qualified = this.elements.at(-1) ?? '';
    const name = localName(qualified);
    if (RUNS.test(name)) return true;
    const prefix = prefixOf(qualified);
    const isKept = this.keepsSpaces.get(prefix) ?? (prefix === '' || prefix === ODF_TEXT_PREFIX);
    return !isKept && RUN_PARENTS.test(name);
  }

  /** A prefix that is declared with several namespaces can mean any of them. */
  private noteNamespaces(attributes: Readonly<Record<string, string>>): void {
    for (const name of Object.keys(attributes)) {
      // In HTML, names without a prefix are always those of HTML.
      if (!DECLARATION.test(name) || (name === 'xmlns' && !this.isXml)) continue;
      const prefix = name === 'xmlns' ? '' : unprefixed(name);
      const keeps = SPACED_NAMESPACES.has(attributes[name] ?? '') && (this.keepsSpaces.get(prefix) ?? true);
      this.keepsSpaces.set(prefix, keeps);
    }
  }

  private put(text: string): void {
    const before = this.parts.at(-1) ?? '';
    const isContinued = this.breaks && /\S/.test(text.charAt(0)) && /\S/.test(before.slice(-1));
    if (text !== '') this.breaks = false;
    if (isContinued) this.put('\n');
    this.parts.push(text);
    if (this.omittedFrom === undefined) this.written.put(text);
    if (this.hiddenFrom !== undefined) return;
    this.seenParts.push(text);
    this.visible.put(text);
  }
}

/** Puts the parts of a text that other readers put elsewhere on lines after the text. */
class PartsInPlace {
  /** The texts around the current position, the innermost last. */
  private readonly around: string[][] = [];
  private current: string[] = [];
  private readonly aside: string[] = [];

  get isNeeded(): boolean {
    return this.aside.length > 0;
  }

  get text(): string {
    return [this.around.concat([this.current]).flat().join(''), ...this.aside].join('\n');
  }

  put(text: string): void {
    this.current.push(text);
  }

  open(): void {
    this.around.push(this.current);
    this.current = [];
  }

  close(): void {
    const outer = this.around.pop();
    if (outer === undefined) return;
    const text = this.current.join('');
    if (/\S/.test(text)) this.aside.push(text);
    this.current = outer;
  }
}

/** Elements with text that some readers put elsewhere or leave out: text boxes, tracked changes, annotations, fields, controls. */
const ASIDE = new RegExp(
  `^(?:${[
    'ins|del|movefrom|moveto|drawing|pict|object|alternatecontent|txbxcontent|custom-shape|frame',
    'annotation|note|sdt|smarttag|customxml|fldsimple|ruby',
  ].join('|')})$`,
);

/** Elements of Office files in which white space between runs is only source indentation, unless their namespace keeps it. */
const RUN_PARENTS = /^(?:p|ins|del|hyperlink|smarttag|sdt|sdtcontent|fldsimple|ppr)$/;
/** Those of them that occur only in formats in which such white space is indentation. */
const RUNS = /^(?:r|si|is|rpr)$/;
const DECLARATION = /^xmlns(?::|$)/;
/** The namespaces in which white space between the elements of a paragraph is text: those of OpenDocument and XHTML. */
const SPACED_NAMESPACES: ReadonlySet<string> = new Set([
  'urn:oasis:names:tc:opendocument:xmlns:text:1.0',
  'http://www.w3.org/1999/xhtml',
]);
/** The prefix of OpenDocument texts that do not declare it. */
const ODF_TEXT_PREFIX = 'text';
/** Elements whose text is not displayed in place: deleted texts, field codes, phonetic guides, scripts. */
const HIDDEN = /^(?:deltext|instrtext|delinstrtext|rph|rt|rp|script|style|template|del|movefrom|annotation)$/;
/** Those of them that readers of Office files never read as text of the paragraph. */
const OMITTED = /^(?:deltext|instrtext|delinstrtext|rph|rt|rp)$/;
const HIDING_STYLE = /display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])/i;

function isHidden(name: string, { hidden, style }: Readonly<Record<string, string>>, isXml: boolean): boolean {
  // In HTML the attribute hides an element whatever its value is.
  const isAttributeOn = hidden !== undefined && !(isXml && OFF.test(hidden));
  return HIDDEN.test(name) || isAttributeOn || (style !== undefined && HIDING_STYLE.test(style));
}

/** The values with which Office files switch a property off. */
const OFF = /^\s*(?:0|false|off)\s*$/i;

function isSwitchedOff(attributes: Readonly<Record<string, string>>): boolean {
  return Object.entries(attributes).some(([name, value]) => localName(name) === 'val' && OFF.test(value));
}

/** A character given by its number in a font; Word writes those of symbol fonts as private-use characters. */
function symbolOf(attributes: Readonly<Record<string, string>>): string {
  const code = Object.entries(attributes).find(([name]) => localName(name) === 'char')?.[1] ?? '';
  if (!/^[0-9A-Fa-f]{2,5}$/.test(code)) return '';
  const point = Number.parseInt(code, 16);
  return String.fromCodePoint(point >= 0xf020 && point <= 0xf0ff ? point - 0xf000 : point);
}
