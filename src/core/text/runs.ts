/** A run of characters of a text: from `start` to before `end`. */
interface Run {
  readonly start: number;
  readonly end: number;
}

/**
 * The longest runs of characters inside a class, one by one, because there may be millions. A single expression such as `[^\n]+` would
 * overflow the stack of V8's regular expressions on a run of many million characters.
 *
 * @param inside matches one character of the class; global
 * @param outside matches any other character; global
 */
export function* runsOf(text: string, inside: RegExp, outside: RegExp): Generator<Run, void, void> {
  for (let end = 0; ;) {
    const start = next(inside, text, end);
    if (start === undefined) return;
    end = next(outside, text, start) ?? text.length;
    yield { start, end };
  }
}

function next(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index;
}
