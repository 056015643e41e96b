/** How much text one match of a regular expression can look at, in UTF-16 units. */
export interface RegexExtent {
  readonly minLength: number;
  readonly maxLength: number;
  /** ASCII digits that every match holds at least. */
  readonly minDigits: number;
  /** How far lookbehinds (and `\b`, `^`) look left of the match. */
  readonly behind: number;
  /** How far lookaheads (and `\b`, `$`) look right of the match's end. */
  readonly beyond: number;
}

interface Size {
  min: number;
  max: number;
  digits: number;
}

const DIGIT_ATOM = /^(?:\\d|\[(?:\d(?:-\d)?){1,10}\]|\d)$/;

/**
 * Computes the extent of a regular expression from its source, and thereby proves that it is bounded: time per start
 * position then has a constant bound, and a stream knows how much it has to hold.
 *
 * @throws RangeError for an unbounded quantifier (`*`, `+`, `{n,}`), a backreference, or syntax it does not know.
 */
export function regexExtent(regex: RegExp): RegexExtent {
  const reader = new SourceReader(regex.source, regex.flags);
  const size = reader.alternatives();
  if (!reader.atEnd) throw reader.refuse('an unmatched ")"');
  return {
    minLength: size.min,
    maxLength: size.max,
    minDigits: size.digits,
    behind: reader.behind,
    beyond: reader.beyond,
  };
}

/** One character, which may take two units. */
function single(mayBeAstral: boolean): Size {
  return { min: 1, max: mayBeAstral ? 2 : 1, digits: 0 };
}

/** Recursive descent over the pattern grammar of ECMA-262, section 22.2.1, as far as detectors use it. */
class SourceReader {
  behind = 0;
  beyond = 0;
  private at = 0;
  private readonly astral: boolean;

  constructor(
    private readonly source: string,
    flags: string,
  ) {
    this.astral = flags.includes('u') || flags.includes('v');
  }

  get atEnd(): boolean {
    return this.at >= this.source.length;
  }

  refuse(what: string): RangeError {
    return new RangeError(`pattern has ${what} at offset ${this.at}`);
  }

  alternatives(): Size {
    let size = this.sequence();
    while (this.take('|')) {
      const other = this.sequence();
      size = {
        min: Math.min(size.min, other.min),
        max: Math.max(size.max, other.max),
        digits: Math.min(size.digits, other.digits),
      };
    }
    return size;
  }

  private sequence(): Size {
    const size = { min: 0, max: 0, digits: 0 };
    while (!this.atEnd && !this.startsWith('|') && !this.startsWith(')')) {
      const from = this.at;
      const atom = this.atom();
      if (DIGIT_ATOM.test(this.source.slice(from, this.at))) atom.digits = 1;
      const { least, most } = this.quantifier();
      size.min += atom.min * least;
      size.max += atom.max * most;
      size.digits += atom.digits * least;
    }
    return size;
  }

  private atom(): Size {
    if (this.take('(')) return this.group();
    if (this.startsWith('[')) return this.characterClass();
    if (this.startsWith('\\')) return this.escape();
    if (this.take('^')) return this.assertion(1, 0);
    if (this.take('$')) return this.assertion(0, 1);
    if (this.take('.')) return single(this.astral);
    const unit = this.source.codePointAt(this.at)!;
    this.at += this.astral && unit > 0xffff ? 2 : 1;
    return this.astral && unit > 0xffff ? { min: 2, max: 2, digits: 0 } : single(false);
  }

  private group(): Size {
    const look = ['?=', '?!', '?<=', '?<!'].find((prefix) => this.take(prefix));
    if (look === undefined && this.take('?')) this.groupPrefix();
    const size = this.alternatives();
    if (!this.take(')')) throw this.refuse('an unclosed group');
    if (look === undefined) return size;
    return look.includes('<') ? this.assertion(size.max, 0) : this.assertion(0, size.max);
  }

  /** After `(?`: `:`, a name, or modifiers such as `i:` and `-i:`. */
  private groupPrefix(): void {
    const prefix = /(?::|<[A-Za-z_$][\w$]{0,40}>|[ims]{0,3}(?:-[ims]{1,3})?:)/y;
    prefix.lastIndex = this.at;
    const match = prefix.exec(this.source);
    if (match === null) throw this.refuse('an unknown group');
    this.at += match[0].length;
  }

  private characterClass(): Size {
    for (this.at++; !this.atEnd && !this.startsWith(']'); this.at++) if (this.startsWith('\\')) this.at++;
    if (!this.take(']')) throw this.refuse('an unclosed class');
    return single(this.astral);
  }

  private escape(): Size {
    const wide = /\\(?:[pP]\{[^}]{1,60}\}|u\{[0-9a-fA-F]{1,6}\})/y;
    const narrow = /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|0(?!\d)|[^1-9kbBupPxc])/y;
    wide.lastIndex = narrow.lastIndex = this.at;
    if (this.take('\\b') || this.take('\\B')) return this.assertion(1, 1);
    const match = narrow.exec(this.source) ?? wide.exec(this.source);
    if (match === null) throw this.refuse('a backreference or an unknown escape');
    this.at += match[0].length;
    const mayBeAstral = this.astral && /^\\[pPuDWS]/.test(match[0]);
    return single(mayBeAstral);
  }

  private quantifier(): { least: number; most: number } {
    if (this.startsWith('*') || this.startsWith('+')) throw this.refuse('an unbounded quantifier');
    if (this.take('?')) {
      this.take('?');
      return { least: 0, most: 1 };
    }
    const braces = /\{(\d{1,5})(,(\d{0,5}))?\}/y;
    braces.lastIndex = this.at;
    const match = braces.exec(this.source);
    if (match === null) return { least: 1, most: 1 };
    if (match[2] === ',') throw this.refuse('an unbounded quantifier');
    this.at += match[0].length;
    this.take('?');
    return { least: Number(match[1]), most: Number(match[3] ?? match[1]) };
  }

  private assertion(behind: number, beyond: number): Size {
    this.behind = Math.max(this.behind, behind);
    this.beyond = Math.max(this.beyond, beyond);
    return { min: 0, max: 0, digits: 0 };
  }

  private startsWith(text: string): boolean {
    return this.source.startsWith(text, this.at);
  }

  private take(text: string): boolean {
    if (!this.startsWith(text)) return false;
    this.at += text.length;
    return true;
  }
}
