/** A text and its drawing position, as returned by pdfjs. */
export interface PlacedText {
  readonly str: string;
  /** The last two numbers are the position of its start. */
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
}

interface Letter {
  readonly text: string;
  /** Distance from the previous letter; undefined within one text piece. */
  readonly step: Step | undefined;
}

/** Distance of a letter from the end (`gap`) and from the start (`advance`) of the previous one. */
interface Step {
  readonly gap: number;
  readonly advance: number;
  /** Height of the letters. */
  readonly height: number;
}

/** Shorter rows of letters are probably abbreviations or lists. */
const SHORTEST_ROW = 8;
/**
 * A word ends where both gap and advance exceed these multiples of the row's median. The gap alone is not enough, as letters differ in
 * width.
 */
const WORD_GAP = 1.6;
const WORD_ADVANCE = 1.2;
const MOST_LETTERS = 3;

/** Joins words whose letters are drawn one by one, in file order and in page order. Normally drawn words are omitted. */
export function lettersJoined(pieces: readonly PlacedText[]): string {
  const shown = pieces.filter(({ str }) => str.trim() !== '');
  const rows = [...rowsOf(shown), ...rowsOf(fromTheTop(shown))];
  return [...new Set(rows.map(joined))].join('\n');
}

function fromTheTop(pieces: readonly PlacedText[]): PlacedText[] {
  const line = ({ transform, height }: PlacedText): number => Math.round((transform[5] ?? 0) / Math.max(height / 2, 3));
  return [...pieces].sort((a, b) => line(b) - line(a) || (a.transform[4] ?? 0) - (b.transform[4] ?? 0));
}

/** Rows of consecutive single letters and very short words; longer words end a row. */
function rowsOf(pieces: readonly PlacedText[]): Letter[][] {
  const rows: Letter[][] = [];
  let row: Letter[] = [];
  let before: PlacedText | undefined;
  for (const piece of pieces) {
    const words = piece.str.split(/\s+/).filter((word) => word !== '');
    for (const [index, text] of words.entries()) {
      if ([...text].length > MOST_LETTERS) {
        if (row.length >= SHORTEST_ROW) rows.push(row);
        row = [];
      } else row.push({ text, step: index > 0 || before === undefined ? undefined : stepBetween(before, piece) });
    }
    before = piece;
  }
  if (row.length >= SHORTEST_ROW) rows.push(row);
  // Rows of mostly short words are ordinary sentences.
  return rows.filter((letters) => letters.filter(({ text }) => [...text].length === 1).length * 2 > letters.length);
}

/** The distance between two texts, in any direction. */
function stepBetween(before: PlacedText, piece: PlacedText): Step {
  const [a, b] = [before.transform, piece.transform];
  const advance = Math.hypot((b[4] ?? 0) - (a[4] ?? 0), (b[5] ?? 0) - (a[5] ?? 0));
  return { advance, gap: Math.max(0, advance - before.width), height: piece.height };
}

function joined(row: readonly Letter[]): string {
  const steps = row.flatMap(({ step }) => (step === undefined ? [] : [step]));
  // If most letters are in one text piece, its own spaces separate words, and a gap larger than the letter height starts a new word.
  const isUsual = steps.length * 2 > row.length;
  const gap = median(steps.map((step) => step.gap)) * WORD_GAP + 1;
  const advance = median(steps.map((step) => step.advance)) * WORD_ADVANCE;
  const parts = (step: Step): boolean => (isUsual ? step.gap > gap && step.advance > advance : step.gap > step.height);
  return row.map(({ text, step }) => (step !== undefined && parts(step) ? ` ${text}` : text)).join('');
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;
}
