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
const MAYBE = { least: 0, most: 1 };
const GROUP_PREFIX = /(?:<[A-Za-z_$][\w$]{0,40}>|([ims]{0,3})(?:-([ims]{1,3}))?:)/y;
const BRACES = /\{(\d{1,5})(,(\d{0,5}))?\}/y;
const WIDE_ESCAPE = /\\(?:[pP]\{[^}]{1,60}\}|u\{[0-9a-fA-F]{1,6}\})/y;
const NARROW_ESCAPE = /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|0(?!\d)|[^1-9kbBupPxc])/y;

/** By modifiers, by what is written (a cache of a pure function, of patterns' size). */
const knownUnits = new Map<string, Map<string, UnitNode>>();

function unitsWith(flags: string): Map<string, UnitNode> {
  let units = knownUnits.get(flags);
  if (units === undefined) {
    units = new Map();
    knownUnits.set(flags, units);
  }
  return units;
}

/** Recursive descent. */
class SourceReader {
  private at = 0;
  private readonly astral: boolean;
  private units: Map<string, UnitNode>;

  constructor(
    private readonly source: string,
    private flags: string,
  ) {
    this.units = unitsWith(flags);
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
    for (let sign = this.sign; sign !== '' && sign !== '|' && sign !== ')'; sign = this.sign) {
      const item = this.atom(sign);
      const { least, most } = this.quantifier();
      items.push(least === 1 && most === 1 ? item : { kind: 'repeat', item, least, most });
    }
    return items.length === 1 ? items[0]! : { kind: 'sequence', items };
  }

  /** What stands here; empty at the end. Expressions have thousands of signs: each is looked at once. */
  private get sign(): string {
    return this.source.charAt(this.at);
  }

  private atom(sign: string): RegexNode {
    const from = this.at;
    switch (sign) {
      case '[':
        return this.characterClass(from);
      case '\\':
        return this.escape(from);
    }
    const wide = this.astral && this.source.codePointAt(from)! > 0xffff;
    this.at += wide ? 2 : 1;
    switch (sign) {
      case '(':
        return this.group();
      case '^':
        return { kind: 'edge', behind: 1, beyond: 0 };
      case '$':
        return { kind: 'edge', behind: 0, beyond: 1 };
      case '.':
        return this.unit(from, 1, this.astral ? 2 : 1);
      default:
        return this.unit(from, wide ? 2 : 1, wide ? 2 : 1);
    }
  }

  /** One node stands for all that are written alike. */
  private unit(from: number, least: 1 | 2, most: 1 | 2): UnitNode {
    const source = this.source.slice(from, this.at);
    let node = this.units.get(source);
    if (node === undefined) {
      node = { kind: 'unit', source, flags: this.flags, least, most };
      this.units.set(source, node);
    }
    return node;
  }

  private group(): RegexNode {
    const look = this.source[this.at] === '?' ? LOOKS.find((prefix) => this.take(prefix)) : undefined;
    const outside = this.flags;
    if (look === undefined && this.take('?')) this.groupPrefix();
    const item = this.alternatives();
    this.useFlags(outside);
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
    this.useFlags([...new Set(this.flags + added)].filter((flag) => !removed.includes(flag)).join(''));
  }

  private useFlags(flags: string): void {
    if (flags === this.flags) return;
    this.flags = flags;
    this.units = unitsWith(flags);
  }

  private characterClass(from: number): RegexNode {
    for (this.at++; !this.atEnd && this.sign !== ']'; this.at++) if (this.sign === '\\') this.at++;
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
    const { sign } = this;
    if (sign === '*' || sign === '+') throw this.refuse('an unbounded quantifier');
    if (sign === '?') {
      this.at++;
      this.take('?');
      return MAYBE;
    }
    if (sign !== '{') return ONCE;
    BRACES.lastIndex = this.at;
    const match = BRACES.exec(this.source);
    if (match === null) return ONCE;
    if (match[2] === ',') throw this.refuse('an unbounded quantifier');
    this.at += match[0].length;
    this.take('?');
    return { least: Number(match[1]), most: Number(match[3] ?? match[1]) };
  }

  private take(text: string): boolean {
    if (!this.source.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }
}
