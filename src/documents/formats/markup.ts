/** Texts of document formats: Office, PDF, HTML, RTF, archives. Each reader stops at its limits. */
import { Parser } from 'htmlparser2';
import { NAMESPACE } from './namespaces.js';

/** Elements whose texts are concatenated: a paragraph's runs, a table's cell, a string of a sheet. */
const PARAGRAPHS =
  /^(?:p|h|h[1-6]|si|is|td|th|li|dt|dd|span|a|b|i|em|strong|u|s|title|pre|code|label|option|text|tspan)$/;
const BREAKS = /^(?:br|cr|hr|lb|line-break)$/;
const TABS = /^(?:tab|tc|td|th|table-cell|ptab)$/;
/** The ODF element for repeated spaces. */
const SPACES = /^s$/;
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

const DATA_URL = /;base64,/i;

/** Attributes that describe something in words, even in a single one; the names are those of HTML and Office formats. */
const DESCRIBING =
  /^(?:alt|title|descr|desc|summary|label|caption|placeholder|prompt|content|value|aria-[a-z]+|href|src)$/;

export interface MarkupTexts {
  /** Visible and hidden text, line by line. */
  readonly text: string;
  /** The text without hidden and deleted parts, field codes and phonetic guides. */
  readonly seen: string;
  /**
   * The text of each paragraph without the parts that some readers put elsewhere or leave out, such as text boxes, tracked changes and
   * annotations, which follow on lines of their own: with and without hidden text. Empty for a text without such parts.
   */
  readonly inPlace: readonly string[];
  /** Attribute values that can contain words: alternative texts, titles, link targets. */
  readonly attributes: string;
  /** Attribute values with a file in base64. */
  readonly dataUrls: readonly string[];
  /** Comments, declarations, processing instructions. */
  readonly comments: string;
}

/**
 * The texts of HTML or any XML, including hidden texts and scripts. Entities that the document itself declares are read in their
 * declaration and not expanded.
 */
export function markupTexts(markup: string, isXml: boolean): MarkupTexts {
  const lines = new Lines(isXml);
  const attributes: string[] = [];
  const dataUrls: string[] = [];
  const comments: string[] = [];
  const parser = new Parser(
    {
      onopentag(name, given) {
        lines.open(name, given);
        for (const [key, value] of Object.entries(given)) {
          if (DATA_URL.test(value)) dataUrls.push(value);
          if (!NO_WORDS.test(value) || (value !== '' && DESCRIBING.test(localName(key)))) attributes.push(value);
        }
      },
      ontext: (text) => lines.add(text),
      onclosetag: (name) => lines.close(name),
      oncomment: (text) => void comments.push(text),
      onprocessinginstruction: (_, text) => void comments.push(text),
    },
    { xmlMode: isXml, decodeEntities: true, lowerCaseTags: !isXml, recognizeCDATA: true },
  );
  parser.end(markup);
  const { text, seen, inPlace } = lines;
  return { text, seen, inPlace, attributes: attributes.join('\n'), dataUrls, comments: comments.join('\n') };
}

/** Whether a text declares entities, which readers expand differently. */
export function declaresEntities(markup: string): boolean {
  return /<!ENTITY/i.test(markup);
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase();
}

/** Concatenates the texts of a paragraph, and puts each paragraph on its own line. */
class Lines {
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

  constructor(private readonly isXml: boolean) {}

  get text(): string {
    return this.parts.join('');
  }

  get seen(): string {
    return this.seenParts.join('');
  }

  get inPlace(): string[] {
    return this.written.isNeeded ? [...new Set([this.written.text, this.visible.text])] : [];
  }

  open(qualified: string, attributes: Readonly<Record<string, string>>): void {
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
    if (PARAGRAPHS.test(name)) this.paragraphs++;
    if (name === 'sym') this.put(symbolOf(attributes));
    else if (name === 'nobreakhyphen') this.put('-');
    else if (BREAKS.test(name)) this.put('\n');
    else if (TABS.test(name)) this.put('\t');
    else if (SPACES.test(name)) this.put(' ');
  }

  add(text: string): void {
    if (!/\S/.test(text) && RUN_PARENTS.test(this.elements.at(-1) ?? '')) return;
    this.put(text);
  }

  close(qualified: string): void {
    const name = localName(qualified);
    this.elements.pop();
    if (this.hiddenFrom !== undefined && this.elements.length < this.hiddenFrom) this.hiddenFrom = undefined;
    if (this.omittedFrom !== undefined && this.elements.length < this.omittedFrom) this.omittedFrom = undefined;
    if (this.asides.at(-1) === this.elements.length + 1) {
      this.asides.pop();
      for (const parts of [this.written, this.visible]) parts.close();
    }
    const isParagraph = PARAGRAPHS.test(name);
    if (isParagraph && this.paragraphs > 0) this.paragraphs--;
    const isInline = /^(?:span|a|b|i|em|strong|u|s|code|label|tspan|r|t)$/.test(name);
    if (this.paragraphs === 0 && !isInline) this.put('\n');
  }

  private put(text: string): void {
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

/** Elements of Office files in which white space between runs is only source indentation. */
const RUN_PARENTS =
  /^(?:(?!text:)[\w.-]+:(?:p|r|ins|del|hyperlink|smartTag|sdt|sdtContent|fldSimple|[rp]Pr)|(?:\w+:)?(?:r|si|is|rPr))$/;
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
