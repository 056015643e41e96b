const MAX_SAMPLES = 24;

/**
 * Generates texts that an RE2 expression is likely to match: one per alternative, with each repeated part as few times as possible, and
 * once more. They are candidates to be tested with the expression, never a proof that it matches nothing else.
 */
export function samplesOf(pattern: string): string[] {
  const reader = new Reader(pattern);
  try {
    return [...new Set(reader.alternatives())].slice(0, MAX_SAMPLES);
  } catch {
    return [];
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  d: '7',
  w: 'a',
  s: ' ',
  n: '\n',
  t: '\t',
  r: '\r',
  D: 'x',
  W: '-',
  S: 'x',
};
const ANCHORS = 'bBAzZ';

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  /** Reads alternatives up to the end or an unmatched `)`. */
  alternatives(): string[] {
    const all: string[] = [];
    let current = [''];
    while (this.at < this.text.length && this.text[this.at] !== ')') {
      if (this.text[this.at] === '|') {
        this.at += 1;
        all.push(...current);
        current = [''];
        continue;
      }
      const atom = this.atom();
      current = joined(current, this.repeated(atom));
    }
    return [...all, ...current];
  }

  private atom(): string[] {
    const letter = this.text[this.at++]!;
    switch (letter) {
      case '(':
        return this.group();
      case '[':
        return [this.oneOfClass()];
      case '.':
        return ['x'];
      case '^':
      case '$':
        return [''];
      case '\\':
        return [this.escape()];
      default:
        return [letter];
    }
  }

  private group(): string[] {
    const flags = /^\?(?:P?<[A-Za-z0-9_]+>|[a-zA-Z-]*(:|\)))/.exec(this.text.slice(this.at));
    if (flags !== null) this.at += flags[0].length;
    if (flags?.[1] === ')') return [''];
    const inner = this.alternatives();
    this.at += 1;
    return inner;
  }

  private escape(): string {
    const letter = this.text[this.at++] ?? '';
    if (ANCHORS.includes(letter)) return '';
    if (letter === 'p' || letter === 'P') {
      const name = /^(?:\{[^}]*\}|.)/.exec(this.text.slice(this.at))?.[0] ?? '';
      this.at += name.length;
      return /N/.test(name) ? '7' : 'a';
    }
    return ESCAPES[letter] ?? letter;
  }

  /** Returns the first member of a class; for a negated class, a letter that the class does not list. */
  private oneOfClass(): string {
    const negated = this.text[this.at] === '^';
    if (negated) this.at += 1;
    const members: string[] = [];
    do {
      if (this.text.startsWith('[:', this.at)) {
        this.at = this.text.indexOf(':]', this.at) + 2;
        members.push('a');
      } else {
        const letter = this.text[this.at++]!;
        members.push(letter === '\\' ? this.escape() : letter);
      }
    } while (this.at < this.text.length && this.text[this.at] !== ']');
    this.at += 1;
    if (!negated) return members[0] ?? '';
    return ['q', '0', ' ', '-', 'é'].find((letter) => !members.includes(letter)) ?? 'é';
  }

  private repeated(atom: readonly string[]): string[] {
    const rest = this.text.slice(this.at);
    const counted = /^\{(\d+)(,(\d*))?\}/.exec(rest);
    const simple = /^[*+?]/.exec(rest)?.[0];
    if (counted === null && simple === undefined) return [...atom];
    this.at += (counted?.[0] ?? simple)!.length;
    if (this.text[this.at] === '?') this.at += 1;
    const least = counted === null ? (simple === '+' ? 1 : 0) : Number(counted[1]);
    const isExact = counted !== null && counted[2] === undefined;
    const times = isExact ? [least] : [least, least + 1];
    return times.flatMap((count) => atom.map((text) => text.repeat(Math.min(count, 500))));
  }
}

function joined(left: readonly string[], right: readonly string[]): string[] {
  return left.flatMap((a) => right.map((b) => a + b)).slice(0, MAX_SAMPLES);
}
