/** Matches the end of the text with any flags. */
const END = '(?![^])';

/**
 * Returns an expression that shows whether more text could change the match of `regex` at a position: if so, the match of the returned
 * expression ends at the end of the text. In it, every atom also accepts the end of the text, so a match that runs out of text continues
 * to the end of the expression. Alternatives keep their order, so a match of `regex` within the text is also found. The expression may
 * report a change that is impossible, but never misses a possible one. The caller must add the lookahead after a match.
 *
 * @param sticky whether to try only `lastIndex` instead of searching from there
 * @param regex bounded and without backreferences, as `regexExtent` proves
 */
export function unfinishedMatch(regex: RegExp, sticky: boolean): RegExp {
  const source = new PartialWriter(regex.source).write();
  return new RegExp(source, regex.flags.replace(/[gyd]/g, '') + (sticky ? 'y' : 'g'));
}

/** Copies a pattern and adds the end of the text as an alternative to each atom. */
class PartialWriter {
  private at = 0;

  constructor(private readonly source: string) {}

  write(): string {
    let out = this.sequence();
    while (this.take('|')) out += `|${this.sequence()}`;
    return out;
  }

  private sequence(): string {
    let out = '';
    while (this.at < this.source.length && !this.startsWith('|') && !this.startsWith(')')) {
      out += this.atom() + this.quantifier();
    }
    return out;
  }

  private atom(): string {
    if (this.take('(')) return this.group();
    if (this.startsWith('[')) return orEnd(this.characterClass());
    if (this.startsWith('\\')) return orEnd(this.escape());
    const unit = String.fromCodePoint(this.source.codePointAt(this.at)!);
    this.at += unit.length;
    return orEnd(unit);
  }

  private group(): string {
    const look = ['?=', '?!', '?<=', '?<!'].find((prefix) => this.take(prefix));
    if (look === undefined) return this.plainGroup();
    const from = this.at;
    const partial = this.write();
    const raw = withoutNames(this.source.slice(from, this.at));
    this.at++;
    // The text to the left is already complete.
    if (look.includes('<')) return orEnd(`(${look}${raw})`);
    return `(?:(${look}${raw})|(?=(?:${partial})${END})[^]*|${END})`;
  }

  private plainGroup(): string {
    const modifiers = /\?(?:<[A-Za-z_$][\w$]*>|([ims]*(?:-[ims]+)?):)/y;
    modifiers.lastIndex = this.at;
    const match = modifiers.exec(this.source);
    this.at += match?.[0].length ?? 0;
    const inside = this.write();
    this.at++;
    return `(?${match?.[1] ?? ''}:${inside})`;
  }

  private characterClass(): string {
    const from = this.at;
    for (this.at++; !this.startsWith(']'); this.at++) if (this.startsWith('\\')) this.at++;
    this.at++;
    return this.source.slice(from, this.at);
  }

  private escape(): string {
    const escape = /\\(?:[pP]\{[^}]*\}|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[^])/y;
    escape.lastIndex = this.at;
    const text = escape.exec(this.source)![0];
    this.at += text.length;
    return text;
  }

  private quantifier(): string {
    const quantifier = /(?:[?*+]|\{\d+(?:,\d*)?\})\??/y;
    quantifier.lastIndex = this.at;
    const text = quantifier.exec(this.source)?.[0] ?? '';
    this.at += text.length;
    return text;
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

function orEnd(atom: string): string {
  return `(?:${atom}|${END})`;
}

/** Removes group names, because the part occurs twice in the result, but group names must be unique. */
function withoutNames(source: string): string {
  return source.replace(/\(\?<[A-Za-z_$][\w$]*>/g, '(?:');
}
