/** A text that a regular expression matches, with the ranges of its groups. */
export interface RegexSample {
  readonly text: string;
  /** Half-open ranges by group number; a group that did not participate is absent. */
  readonly groups: readonly (readonly [start: number, end: number] | undefined)[];
}

/** Pseudo-random numbers in [0, 1) from a seed: mulberry32, so that the same seed yields the same text on every platform. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * Writes a text that fits a pattern: first alternatives, fewest repetitions, random members of classes. Look-arounds are ignored, so
 * the caller must check that the pattern matches the sample.
 *
 * @throws RangeError for syntax that is not used in credential patterns.
 */
export function sampleOf(regex: RegExp, random: () => number): RegexSample {
  const writer = new SampleWriter(regex.source, random);
  writer.alternatives(true);
  return { text: writer.text, groups: writer.groups };
}

const PRINTABLE = Array.from({ length: 94 }, (_unused, index) => String.fromCharCode(33 + index));
const DIGITS = [...'0123456789'];
const WORD = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_'];

class SampleWriter {
  text = '';
  readonly groups: ([number, number] | undefined)[] = [];
  private at = 0;
  private opened = 0;

  constructor(
    private readonly source: string,
    private readonly random: () => number,
  ) {}

  /** Reads alternatives up to `)` or the end; only the first is written, and only if `write`. */
  alternatives(write: boolean): void {
    let first = true;
    for (;;) {
      this.sequence(write && first);
      if (this.source[this.at] !== '|') return;
      this.at++;
      first = false;
    }
  }

  private sequence(write: boolean): void {
    while (this.at < this.source.length && this.source[this.at] !== '|' && this.source[this.at] !== ')') {
      const start = this.at;
      const length = this.text.length;
      this.atom(write);
      const times = this.repeats();
      if (times === 0) this.text = this.text.slice(0, length);
      const end = this.at;
      for (let round = 1; round < times; round++) {
        this.at = start;
        this.atom(write);
      }
      this.at = end;
    }
  }

  private atom(write: boolean): void {
    const char = this.source[this.at++]!;
    if (char === '(') return this.group(write);
    const members = char === '[' ? this.classMembers() : char === '\\' ? escaped(this.source[this.at++]!) : [char];
    if (char === '^' || char === '$' || (char === '\\' && members.length === 0)) return;
    if (write) this.text += members[Math.floor(this.random() * members.length)]!;
  }

  private group(write: boolean): void {
    const rest = this.source.slice(this.at);
    const look = /^\?<?[=!]/.exec(rest)?.[0];
    const plain = rest.startsWith('?:');
    this.at += look?.length ?? (plain ? 2 : 0);
    const number = look === undefined && !plain ? ++this.opened : 0;
    const start = this.text.length;
    this.alternatives(write && look === undefined);
    if (number > 0 && write) this.groups[number] = [start, this.text.length];
    this.at++;
  }

  private repeats(): number {
    const match = /^(?:\{(\d+)(?:,\d*)?\}|([?*+]))\??/.exec(this.source.slice(this.at));
    if (match === null) return 1;
    this.at += match[0].length;
    return match[2] === undefined ? Number(match[1]) : match[2] === '+' ? 1 : 0;
  }

  private classMembers(): string[] {
    const negated = this.source[this.at] === '^';
    if (negated) this.at++;
    const members: string[] = [];
    while (this.source[this.at] !== ']') {
      if (this.at >= this.source.length) throw new RangeError('an open character class');
      const char = this.source[this.at++]!;
      const low = char === '\\' ? this.classEscape() : [char];
      if (this.source[this.at] === '-' && this.source[this.at + 1] !== ']' && low.length === 1) {
        this.at++;
        const highChar = this.source[this.at++]!;
        const high = highChar === '\\' ? this.classEscape()[0]! : highChar;
        for (let code = low[0]!.charCodeAt(0); code <= high.charCodeAt(0); code++)
          members.push(String.fromCharCode(code));
      } else members.push(...low);
    }
    this.at++;
    return negated ? PRINTABLE.filter((char) => !members.includes(char)) : members;
  }

  private classEscape(): string[] {
    const char = this.source[this.at++]!;
    if (char === 'x') {
      const code = Number.parseInt(this.source.slice(this.at, this.at + 2), 16);
      this.at += 2;
      return [String.fromCharCode(code)];
    }
    return escaped(char);
  }
}

function escaped(char: string): string[] {
  switch (char) {
    case 'd':
      return DIGITS;
    case 'w':
      return WORD;
    case 's':
      return [' '];
    case 'S':
      return PRINTABLE;
    case 'n':
      return ['\n'];
    case 't':
      return ['\t'];
    case 'b':
      return [];
    default:
      return [char];
  }
}
