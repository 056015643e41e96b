import { isPdfDictionary, isPdfList, pdfBytesOf, PdfSyntax, pdfTextOf, type PdfValue } from './pdf-syntax.js';

/** A smaller number between the strings of one operator moves them apart like a blank, in thousandths of the letters' size. */
const BLANK = -200;

/**
 * The text of the operators of a page as readers show it that use replacements: drawn strings, and in place of those in a marked content
 * its `ActualText`. The strings are read as Latin letters, because the fonts are not known here.
 */
export function textWithReplacements(content: string): string {
  const reading = new SpanReading();
  const syntax = new PdfSyntax(content, 0);
  let operands: PdfValue[] = [];
  for (syntax.gap(); syntax.at < content.length; syntax.gap()) {
    const start = syntax.at;
    const value = syntax.value();
    if (value !== undefined) {
      operands.push(value);
      continue;
    }
    reading.operator(content.slice(start, syntax.at), operands);
    operands = [];
  }
  return reading.text;
}

class SpanReading {
  private readonly parts: string[] = [];
  /** The marked contents around, and whether a text replaces what they draw. */
  private readonly around: boolean[] = [];

  get text(): string {
    return this.parts.join('');
  }

  operator(name: string, operands: readonly PdfValue[]): void {
    const last = operands.at(-1);
    if (name === 'BMC') this.around.push(this.isReplaced);
    if (name === 'BDC') this.begin(last);
    if (name === 'EMC') this.around.pop();
    if (this.isReplaced) return;
    if (name === 'Tj' || name === "'" || name === '"') this.parts.push(pdfBytesOf(last) ?? '');
    if (name === 'TJ' && isPdfList(last)) for (const item of last) this.parts.push(shown(item));
  }

  private get isReplaced(): boolean {
    return this.around.at(-1) ?? false;
  }

  private begin(properties: PdfValue): void {
    const text = isPdfDictionary(properties) ? pdfBytesOf(properties.get('ActualText')) : undefined;
    if (text !== undefined && !this.isReplaced) this.parts.push(pdfTextOf(text));
    this.around.push(this.isReplaced || text !== undefined);
  }
}

function shown(item: PdfValue): string {
  if (typeof item === 'number') return item < BLANK ? ' ' : '';
  return pdfBytesOf(item) ?? '';
}
