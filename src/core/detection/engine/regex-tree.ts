/** The structure of a regular expression, as far as detectors use the grammar of ECMA-262, section 22.2.1. */
export type RegexNode =
  | UnitNode
  | { readonly kind: 'sequence'; readonly items: readonly RegexNode[] }
  | { readonly kind: 'choice'; readonly options: readonly RegexNode[] }
  | { readonly kind: 'repeat'; readonly item: RegexNode; readonly least: number; readonly most: number }
  | {
      readonly kind: 'look';
      readonly ahead: boolean;
      readonly negative: boolean;
      readonly item: RegexNode;
    }
  /** `^`, `$`, `\b`, `\B`: how many units it looks at on either side. */
  | { readonly kind: 'edge'; readonly behind: number; readonly beyond: number };

/** One character out of a set. */
export interface UnitNode {
  readonly kind: 'unit';
  /** As it is written: `x`, `.`, `\d`, `[a-z]`. */
  readonly source: string;
  /** The modifiers in force there: some of `i`, `m`, `s`, `u`, `v`. */
  readonly flags: string;
  /** UTF-16 units, at least and at most: a character outside of the basic plane takes two. */
  readonly least: 1 | 2;
  readonly most: 1 | 2;
}

/**
 * Reads a regular expression's source.
 *
 * @throws RangeError for an unbounded quantifier (`*`, `+`, `{n,}`), a backreference, or syntax it does not know.
 */
export function regexTree(regex: RegExp): RegexNode {
  const reader = new SourceReader(regex.source, regex.flags.replace(/[dgy]/g, ''));
  const tree = reader.alternatives();
  if (!reader.atEnd) throw reader.refuse('an unmatched ")"');
  return tree;
}

const LOOKS = ['?=', '?!', '?<=', '?<!'] as const;
const ONCE = { least: 1, most: 1 };
const GROUP_PREFIX = /(?:<[A-Za-z_$][\w$]{0,40}>|([ims]{0,3})(?:-([ims]{1,3}))?:)/y;
const BRACES = /\{(\d{1,5})(,(\d{0,5}))?\}/y;
const WIDE_ESCAPE = /\\(?:[pP]\{[^}]{1,60}\}|u\{[0-9a-fA-F]{1,6}\})/y;
const NARROW_ESCAPE = /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|0(?!\d)|[^1-9kbBupPxc])/y;

/** Recursive descent. */
class SourceReader {
  private at = 0;
  private readonly astral: boolean;

  constructor(
    private readonly source: string,
    private flags: string,
  ) {
    this.astral = flags.includes('u') || flags.includes('v');
  }

  get atEnd(): boolean {
    return this.at >= this.source.length;
  }

  refuse(what: string): RangeError {
    return new RangeError(`pattern has ${what} at offset ${this.at}`);
  }

  alternatives(): RegexNode {
    const options = [this.sequence()];
    while (this.take('|')) options.push(this.sequence());
    return options.length === 1 ? options[0]! : { kind: 'choice', options };
  }

  private sequence(): RegexNode {
    const items: RegexNode[] = [];
    while (!this.atEnd && !this.startsWith('|') && !this.startsWith(')')) {
      const item = this.atom();
      const { least, most } = this.quantifier();
      items.push(least === 1 && most === 1 ? item : { kind: 'repeat', item, least, most });
    }
    return items.length === 1 ? items[0]! : { kind: 'sequence', items };
  }

  private atom(): RegexNode {
    if (this.take('(')) return this.group();
    const from = this.at;
    if (this.startsWith('[')) return this.characterClass(from);
    if (this.startsWith('\\')) return this.escape(from);
    if (this.take('^')) return { kind: 'edge', behind: 1, beyond: 0 };
    if (this.take('$')) return { kind: 'edge', behind: 0, beyond: 1 };
    if (this.take('.')) return this.unit(from, 1, this.astral ? 2 : 1);
    const wide = this.astral && this.source.codePointAt(this.at)! > 0xffff;
    this.at += wide ? 2 : 1;
    return this.unit(from, wide ? 2 : 1, wide ? 2 : 1);
  }

  private unit(from: number, least: 1 | 2, most: 1 | 2): UnitNode {
    return { kind: 'unit', source: this.source.slice(from, this.at), flags: this.flags, least, most };
  }

  private group(): RegexNode {
    const look = this.source[this.at] === '?' ? LOOKS.find((prefix) => this.take(prefix)) : undefined;
    const outside = this.flags;
    if (look === undefined && this.take('?')) this.groupPrefix();
    const item = this.alternatives();
    this.flags = outside;
    if (!this.take(')')) throw this.refuse('an unclosed group');
    if (look === undefined) return item;
    return { kind: 'look', ahead: !look.includes('<'), negative: look.endsWith('!'), item };
  }

  /** After `(?`: `:`, a name, or modifiers such as `i:` and `-i:`. */
  private groupPrefix(): void {
    if (this.take(':')) return;
    const prefix = GROUP_PREFIX;
    prefix.lastIndex = this.at;
    const match = prefix.exec(this.source);
    if (match === null) throw this.refuse('an unknown group');
    this.at += match[0].length;
    const [, added = '', removed = ''] = match;
    this.flags = [...new Set(this.flags + added)].filter((flag) => !removed.includes(flag)).join('');
  }

  private characterClass(from: number): RegexNode {
    for (this.at++; !this.atEnd && !this.startsWith(']'); this.at++) if (this.startsWith('\\')) this.at++;
    if (!this.take(']')) throw this.refuse('an unclosed class');
    return this.unit(from, 1, this.astral ? 2 : 1);
  }

  private escape(from: number): RegexNode {
    WIDE_ESCAPE.lastIndex = NARROW_ESCAPE.lastIndex = this.at;
    if (this.take('\\b') || this.take('\\B')) return { kind: 'edge', behind: 1, beyond: 1 };
    const match = NARROW_ESCAPE.exec(this.source) ?? WIDE_ESCAPE.exec(this.source);
    if (match === null) throw this.refuse('a backreference or an unknown escape');
    this.at += match[0].length;
    return this.unit(from, 1, this.astral && /^\\[pPuDWS]/.test(match[0]) ? 2 : 1);
  }

  private quantifier(): { least: number; most: number } {
    if (this.startsWith('*') || this.startsWith('+')) throw this.refuse('an unbounded quantifier');
    if (this.take('?')) {
      this.take('?');
      return { least: 0, most: 1 };
    }
    if (!this.startsWith('{')) return ONCE;
    BRACES.lastIndex = this.at;
    const match = BRACES.exec(this.source);
    if (match === null) return ONCE;
    if (match[2] === ',') throw this.refuse('an unbounded quantifier');
    this.at += match[0].length;
    this.take('?');
    return { least: Number(match[1]), most: Number(match[3] ?? match[1]) };
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
