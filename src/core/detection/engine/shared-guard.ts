/** An expression in two parts: the required text to the left of a position, and the match that begins there. */
export interface GuardedRegex {
  /** Source of the lookbehinds at the start of the expression; empty if there are none. */
  readonly guard: string;
  readonly rest: string;
}

/**
 * Splits the lookbehinds off the start of an expression. Similar patterns share them, so the text to the left of a position is checked
 * once for all of them.
 *
 * @param source bounded, as `regexExtent` proves
 */
export function splitGuard(source: string): GuardedRegex {
  const whole = { guard: '', rest: source };
  if (hasTopLevelChoice(source)) return whole;
  let at = 0;
  while (/^\(\?<[=!]/.test(source.slice(at, at + 4))) {
    const end = groupEnd(source, at);
    // Capturing groups must stay, because splitting them off would change the numbers of the others.
    if (/(?<!\\)\((?!\?)|\(\?<[A-Za-z]/.test(source.slice(at, end))) break;
    at = end;
  }
  return at === 0 ? whole : { guard: source.slice(0, at), rest: source.slice(at) };
}

/** Whether there is a `|` outside all groups. */
function hasTopLevelChoice(source: string): boolean {
  for (let at = 0; at < source.length; at++) {
    if (source[at] === '|') return true;
    at = skip(source, at);
  }
  return false;
}

/** The end of the group that opens at `from`. */
function groupEnd(source: string, from: number): number {
  let at = from + 1;
  while (source[at] !== ')') at = skip(source, at) + 1;
  return at + 1;
}

/** The last unit of the group, class, escape or single unit that begins at `at`. */
function skip(source: string, at: number): number {
  if (source[at] === '\\') return at + 1;
  if (source[at] === '(') return groupEnd(source, at) - 1;
  if (source[at] !== '[') return at;
  let end = at + 1;
  while (source[end] !== ']') end += source[end] === '\\' ? 2 : 1;
  return end;
}
