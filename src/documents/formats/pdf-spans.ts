import { isPdfDictionary, isPdfList, pdfBytesOf, PdfSyntax, pdfTextOf, type PdfValue } from './pdf-syntax.js';

/** A number below this one between the strings of an operator is a gap like a space, in thousandths of the font size. */
const BLANK = -200;

/**
 * The text of a page's operators as shown by readers that use replacement texts: the drawn strings, except that the `ActualText` of a
 * marked-content sequence replaces its strings. The strings are read as Latin letters, because the fonts are not known here.
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
  /** For each enclosing marked-content sequence, whether a text replaces its drawn strings. */
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
