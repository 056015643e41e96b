/**
 * Texts of document formats: Office, PDF, HTML, RTF, archives. Each reader stops at the limits that it is given.
 */
import { Parser } from 'htmlparser2';

/** Elements in which neighbouring texts are one: a paragraph's runs, a table's cell, a string of a sheet. */
const PARAGRAPHS =
  /^(?:p|h|h[1-6]|si|is|td|th|li|dt|dd|span|a|b|i|em|strong|u|s|title|pre|code|label|option|text|tspan)$/;
const BREAKS = /^(?:br|cr|hr|lb|line-break)$/;
const TABS = /^(?:tab|tc|td|th|table-cell|ptab)$/;
/** Spaces that ODF counts instead of writing them. */
const SPACES = /^s$/;
/** Values of attributes that are numbers, colours, identifiers or addresses of schemas. */
const NO_WORDS = new RegExp(
  `^(?:${[
    String.raw`-?\d{0,8}(?:\.\d+)?[a-z%]{0,3}`,
    String.raw`[A-Za-z_]{0,15}\d{0,6}`,
    '#?[0-9A-Fa-f]{3,8}',
    String.raw`\{?[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}?`,
    String.raw`https?://(?:schemas\.(?:openxmlformats|microsoft)\.(?:org|com)|www\.w3\.org|purl\.org)/[\w./#-]{0,120}`,
    String.raw`urn:(?:schemas|oasis)[\w:.-]{0,120}`,
  ].join('|')})$`,
);

export interface MarkupTexts {
  /** What a reader sees, line by line. */
  readonly text: string;
  /** Values of attributes that can hold words: alternative texts, titles, targets of links. */
  readonly attributes: string;
  /** Comments, declarations, instructions. */
  readonly comments: string;
}

/**
 * The texts of HTML, or of XML of any vocabulary. Hidden texts are texts, and scripts too. Entities that a document
 * declares itself are read where they are declared, not where they are used.
 */
export function markupTexts(markup: string, isXml: boolean): MarkupTexts {
  const lines = new Lines();
  const attributes: string[] = [];
  const comments: string[] = [];
  const parser = new Parser(
    {
      onopentag(name, given) {
        lines.open(localName(name));
        for (const value of Object.values(given)) if (!NO_WORDS.test(value)) attributes.push(value);
      },
      ontext: (text) => lines.add(text),
      onclosetag: (name) => lines.close(localName(name)),
      oncomment: (text) => void comments.push(text),
      onprocessinginstruction: (_, text) => void comments.push(text),
    },
    { xmlMode: isXml, decodeEntities: true, lowerCaseTags: !isXml, recognizeCDATA: true },
  );
  parser.end(markup);
  return { text: lines.text, attributes: attributes.join('\n'), comments: comments.join('\n') };
}

/** Whether a text declares entities: readers differ in what they make of them. */
export function declaresEntities(markup: string): boolean {
  return /<!ENTITY/i.test(markup);
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase();
}

/** Joins the texts within a paragraph, and puts each paragraph on a line. */
class Lines {
  private readonly parts: string[] = [];
  private paragraphs = 0;

  get text(): string {
    return this.parts.join('');
  }

  open(name: string): void {
    if (PARAGRAPHS.test(name)) this.paragraphs++;
    if (BREAKS.test(name)) this.parts.push('\n');
    else if (TABS.test(name)) this.parts.push('\t');
    else if (SPACES.test(name)) this.parts.push(' ');
  }

  add(text: string): void {
    this.parts.push(text);
  }

  close(name: string): void {
    const isParagraph = PARAGRAPHS.test(name);
    if (isParagraph && this.paragraphs > 0) this.paragraphs--;
    const isInline = /^(?:span|a|b|i|em|strong|u|s|code|label|tspan|r|t)$/.test(name);
    if (this.paragraphs === 0 && !isInline) this.parts.push('\n');
  }
}
