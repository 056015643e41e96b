/** The length of text that one expression searches in less than a few milliseconds. */
const WINDOW = 32_768;
/** An expression may look so far behind the place where it is tried. */
const SEEN_BEFORE = 512;

/** What an expression matched in a text. */
export interface WindowMatch {
  readonly index: number;
  readonly text: string;
  /** Its first group; empty where it has none. */
  readonly group: string;
}

/**
 * The matches of an expression, window by window, so that others can have their turn between two: one search through a text of
 * 10 MB that finds nothing takes a tenth of a second. The same matches as of the whole text, where none is longer than `longest`.
 *
 * @param expression with the flag `g`
 * @param longest units of the longest match, and what it looks at behind itself
 * @param next where the search goes on behind a match, its end when not given
 */
export function* inWindows(
  text: string,
  expression: RegExp,
  longest: number,
  next = ({ index, text: { length } }: WindowMatch): number => index + Math.max(length, 1),
): Generator<readonly WindowMatch[], void> {
  let from = 0;
  for (let at = 0; at < text.length; at += WINDOW) {
    const base = Math.max(0, at - SEEN_BEFORE);
    const part = text.slice(base, at + WINDOW + longest);
    const found: WindowMatch[] = [];
    from = Math.max(from, at);
    while (from < at + WINDOW) {
      expression.lastIndex = from - base;
      const match = expression.exec(part);
      if (match === null || match.index + base >= at + WINDOW) break;
      const one = { index: match.index + base, text: match[0], group: match[1] ?? '' };
      found.push(one);
      from = next(one);
    }
    yield found;
  }
}
