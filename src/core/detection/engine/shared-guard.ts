/** An expression in two parts: the required text to the left of a position, and the match that begins there. */
export interface GuardedRegex {
  /** Source of the lookbehinds that the expression begins with; empty without any. */
  readonly guard: string;
  readonly rest: string;
}

/**
 * Takes the lookbehinds off the beginning of an expression: patterns of one kind share theirs, so that what stands to the
 * left of a place is looked at once for all of them.
 *
 * @param source bounded, as `regexExtent` proves
 */
export function splitGuard(source: string): GuardedRegex {
  const whole = { guard: '', rest: source };
  if (hasTopLevelChoice(source)) return whole;
  let at = 0;
  while (/^\(\?<[=!]/.test(source.slice(at, at + 4))) {
    const end = groupEnd(source, at);
    // Groups that capture would be counted anew.
    if (/(?<!\\)\((?!\?)|\(\?<[A-Za-z]/.test(source.slice(at, end))) break;
    at = end;
  }
  return at === 0 ? whole : { guard: source.slice(0, at), rest: source.slice(at) };
}

/** Whether a `|` stands outside of all groups. */
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

/** The last unit of what begins at `at`: a group, a class, an escape or a single unit. */
function skip(source: string, at: number): number {
  if (source[at] === '\\') return at + 1;
  if (source[at] === '(') return groupEnd(source, at) - 1;
  if (source[at] !== '[') return at;
  let end = at + 1;
  while (source[end] !== ']') end += source[end] === '\\' ? 2 : 1;
  return end;
}
