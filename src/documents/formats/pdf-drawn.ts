import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PDFPageProxy } from 'pdfjs-dist';

/** What a page draws. */
interface DrawnTexts {
  /**
   * All texts in drawing order, regardless of their position, and then those in the tiles of patterns and in the glyphs of fonts that
   * consist of drawings.
   */
  readonly drawn: readonly string[];
  /** Whether pdfjs omits texts, because it cannot load their font. Other readers use another font. */
  readonly isIncomplete: boolean;
}

/** The operators of a page, of a tile of a pattern, or of a glyph, as pdfjs returns them. */
interface Operators {
  readonly fnArray: readonly number[];
  readonly argsArray: readonly unknown[];
}

/** The numbers of the operators that are read. */
type OperatorNumbers = Readonly<
  Record<
    | 'save'
    | 'restore'
    | 'paintFormXObjectBegin'
    | 'paintFormXObjectEnd'
    | 'setFont'
    | 'setGState'
    | 'setFillColorN'
    | 'setStrokeColorN'
    | 'showText'
    | 'showSpacedText',
    number
  >
>;

interface Glyph {
  readonly unicode?: string;
  /** The name of the glyph in a font that consists of drawings. */
  readonly operatorListId?: string;
}

/** What an operator shows: glyphs, and the distances between them. */
type Shown = readonly (Glyph | number | null)[];

/** Settings with their names, such as `Font` with the name of a font and its size. */
type GraphicsState = readonly (readonly [string, unknown])[];

/** A glyph with a longer text is not a letter. Its text is read once, and not for each time that the glyph is shown. */
const LONGEST_LETTER = 4;

/** Finds the texts that a page draws. */
export async function drawnTexts(page: PDFPageProxy): Promise<DrawnTexts> {
  const { OPS } = await import('pdfjs-dist/legacy/build/pdf.mjs');
  // Readers differ in which annotations they draw, such as those that are hidden or only printed.
  const operators = (await page.getOperatorList({ intent: 'any' })) as Operators;
  // The fonts of these operators are provided after their last message.
  await nextTurn();
  const search = new DrawnSearch(page, OPS);
  search.read(operators);
  return search;
}

class DrawnSearch implements DrawnTexts {
  readonly drawn: string[] = [];
  private hasEmpty = false;
  private readonly fonts = new Set<string>();
  /** The operators of patterns and glyphs that still have to be read. */
  private readonly waiting: Operators[] = [];
  /** All operators that were found: many others can refer to the same pattern. */
  private readonly known = new Set<Operators>();
  /** The texts of glyphs that draw a letter with another font. */
  private readonly letters = new Map<Operators, string>();

  constructor(
    private readonly page: PDFPageProxy,
    private readonly ops: OperatorNumbers,
  ) {}

  get isIncomplete(): boolean {
    // In the place of a font that could not be loaded, pdfjs has the reason.
    return this.hasEmpty && [...this.fonts].some((font) => typeof this.fontOf(font) === 'string');
  }

  read(operators: Operators): void {
    this.readList(operators);
    for (let next = this.waiting.pop(); next !== undefined; next = this.waiting.pop()) this.readList(next);
  }

  private readList({ fnArray, argsArray }: Operators): void {
    const { ops } = this;
    const around: (string | undefined)[] = [];
    let font: string | undefined;
    for (const [index, operator] of fnArray.entries()) {
      const args = argsArray[index];
      if (operator === ops.save || operator === ops.paintFormXObjectBegin) around.push(font);
      else if (operator === ops.restore || operator === ops.paintFormXObjectEnd) font = around.pop();
      else if (operator === ops.setFont) font = this.use((args as [string])[0]);
      else if (operator === ops.setGState) font = this.use(fontIn((args as [GraphicsState])[0])) ?? font;
      else if (operator === ops.setFillColorN || operator === ops.setStrokeColorN) this.want(tileOf(args));
      else if (operator === ops.showText || operator === ops.showSpacedText) this.show((args as [Shown])[0], font);
    }
  }

  private use(font: string | undefined): string | undefined {
    if (font !== undefined) this.fonts.add(font);
    return font;
  }

  private want(operators: Operators | undefined): void {
    if (operators === undefined || this.known.has(operators)) return;
    this.known.add(operators);
    this.waiting.push(operators);
  }

  private show(shown: Shown, font: string | undefined): void {
    this.drawn.push(textOf(shown));
    if (!shown.some((glyph) => typeof glyph === 'object')) this.hasEmpty = true;
    const drawings = this.drawingsOf(font);
    if (drawings === undefined) return;
    let letters = '';
    for (const glyph of shown) {
      const drawing = typeof glyph === 'object' ? drawings.get(glyph?.operatorListId ?? '') : undefined;
      if (drawing === undefined) continue;
      this.want(drawing);
      letters += this.letterOf(drawing);
    }
    if (letters !== '') this.drawn.push(letters);
  }

  /** The drawings of the glyphs of a font, by their names; undefined for other fonts. */
  private drawingsOf(font: string | undefined): ReadonlyMap<string, Operators> | undefined {
    const found = font === undefined ? undefined : this.fontOf(font);
    if (typeof found !== 'object' || found === null || !('charProcOperatorList' in found)) return undefined;
    const drawings = found.charProcOperatorList;
    return drawings instanceof Map ? (drawings as ReadonlyMap<string, Operators>) : undefined;
  }

  private letterOf(drawing: Operators): string {
    const known = this.letters.get(drawing);
    if (known !== undefined) return known;
    const { showText, showSpacedText } = this.ops;
    const { fnArray, argsArray } = drawing;
    const isShown = (operator: number): boolean => operator === showText || operator === showSpacedText;
    const text = fnArray
      .map((operator, index) => (isShown(operator) ? textOf((argsArray[index] as [Shown])[0]) : ''))
      .join('');
    const letter = text.length > LONGEST_LETTER ? '' : text;
    this.letters.set(drawing, letter);
    return letter;
  }

  private fontOf(name: string): unknown {
    const objects = this.page.commonObjs as { has(name: string): boolean; get(name: string): unknown };
    return objects.has(name) ? objects.get(name) : undefined;
  }
}

function textOf(shown: Shown): string {
  return shown.map((glyph) => (typeof glyph === 'object' ? (glyph?.unicode ?? '') : '')).join('');
}

function fontIn(state: GraphicsState): string | undefined {
  const [, value] = state.find(([name]) => name === 'Font') ?? [];
  return (value as [string] | undefined)?.[0];
}

/** The operators that draw the tile of a pattern; undefined for a colour. */
function tileOf(colour: unknown): Operators | undefined {
  const [kind, , tile] = Array.isArray(colour) ? (colour as readonly unknown[]) : [];
  return kind === 'TilingPattern' ? (tile as Operators) : undefined;
}
