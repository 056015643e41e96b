/** Length of a window in UTF-16 units; searching it takes at most a few milliseconds. */
const WINDOW = 32_768;
/** Maximum length of an expression's lookbehind. */
const SEEN_BEFORE = 512;

/** A match of an expression. */
export interface WindowMatch {
  readonly index: number;
  readonly text: string;
  /** The first capturing group; empty if there is none. */
  readonly group: string;
}

/**
 * Finds the matches of an expression, window by window, so that other work can run in between: a search without matches through 10 MB takes
 * a tenth of a second. The matches are the same as for the whole text if none is longer than `longest`.
 *
 * @param expression with the flag `g`
 * @param longest maximum length of a match including its lookahead
 * @param next the offset at which the search continues after a match; its end by default
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
