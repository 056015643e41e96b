import { RegExpParser, type AST } from '@eslint-community/regexpp';

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
  /** `^`, `$`, `\b`, `\B`: the number of units it reads on either side. */
  | { readonly kind: 'edge'; readonly behind: number; readonly beyond: number };

/** One character of a set. */
export interface UnitNode {
  readonly kind: 'unit';
  /** The source text: `x`, `.`, `\d`, `[a-z]`. */
  readonly source: string;
  /** The modifiers that apply: some of `i`, `m`, `s`, `u`, `v`. */
  readonly flags: string;
  /** Minimum and maximum length in UTF-16 units: a character beyond the basic plane takes two. */
  readonly least: 1 | 2;
  readonly most: 1 | 2;
}

/**
 * Reads a regular expression's source.
 *
 * @throws RangeError for an unbounded quantifier (`*`, `+`, `{n,}`), a backreference, or a class that contains strings
 */
export function regexTree(regex: RegExp): RegexNode {
  const { source, flags, unicode, unicodeSets } = regex;
  const { alternatives } = PARSER.parsePattern(source, 0, source.length, { unicode, unicodeSets });
  return new TreeBuilder(unicode || unicodeSets, flags.replace(/[dgy]/g, '')).choice(alternatives);
}

const PARSER = new RegExpParser();
/** Class contents that can match several characters, in an expression with the flag `v`. */
const STRINGS = /\\q\{|\\p\{(?:Basic_Emoji|Emoji_Keycap_Sequence|RGI_)/;

/** Unit nodes by modifiers and source text (a cache of a pure function, bounded by the size of the patterns). */
const knownUnits = new Map<string, Map<string, UnitNode>>();

function unitsWith(flags: string): Map<string, UnitNode> {
  let units = knownUnits.get(flags);
  if (units === undefined) {
    units = new Map();
    knownUnits.set(flags, units);
  }
  return units;
}

function refusal(what: string, offset: number): RangeError {
  return new RangeError(`pattern has ${what} at offset ${offset}`);
}

/** Converts the parser's tree to the information that detectors need: which units, how many, in what order. */
class TreeBuilder {
  private units: Map<string, UnitNode>;

  constructor(
    private readonly isUnicode: boolean,
    private flags: string,
  ) {
    this.units = unitsWith(flags);
  }

  choice(alternatives: readonly AST.Alternative[]): RegexNode {
    const options = alternatives.map(({ elements }) => {
      const items = elements.map((element) => this.node(element));
      return items.length === 1 ? items[0]! : ({ kind: 'sequence', items } as const);
    });
    return options.length === 1 ? options[0]! : { kind: 'choice', options };
  }

  private node(element: AST.Element): RegexNode {
    switch (element.type) {
      case 'Character': {
        const length = element.value > 0xffff ? 2 : 1;
        return this.unit(element, length, length);
      }
      case 'CharacterSet': {
        const isNarrow = element.kind !== 'any' && element.kind !== 'property' && !element.negate;
        return this.unit(element, 1, this.isUnicode && !isNarrow ? 2 : 1);
      }
      case 'CharacterClass':
      case 'ExpressionCharacterClass':
        return this.unit(element, 1, this.isUnicode ? 2 : 1);
      case 'Quantifier':
        return this.repeat(element);
      case 'Assertion':
        return this.assertion(element);
      case 'CapturingGroup':
        return this.choice(element.alternatives);
      case 'Group':
        return this.group(element);
      case 'Backreference':
        throw refusal('a backreference', element.start);
    }
  }

  /** Units with the same source text share a node. */
  private unit({ raw: source, start }: AST.Element, least: 1 | 2, most: 1 | 2): UnitNode {
    if (this.flags.includes('v') && STRINGS.test(source)) throw refusal('a class that contains strings', start);
    let node = this.units.get(source);
    if (node === undefined) {
      node = { kind: 'unit', source, flags: this.flags, least, most };
      this.units.set(source, node);
    }
    return node;
  }

  private repeat({ element, min: least, max: most }: AST.Quantifier): RegexNode {
    if (most === Infinity) throw refusal('an unbounded quantifier', element.end);
    const item = this.node(element);
    return least === 1 && most === 1 ? item : { kind: 'repeat', item, least, most };
  }

  private assertion(assertion: AST.Assertion): RegexNode {
    switch (assertion.kind) {
      case 'start':
        return { kind: 'edge', behind: 1, beyond: 0 };
      case 'end':
        return { kind: 'edge', behind: 0, beyond: 1 };
      case 'word':
        return { kind: 'edge', behind: 1, beyond: 1 };
      default: {
        const { kind, negate: negative, alternatives } = assertion;
        return { kind: 'look', ahead: kind === 'lookahead', negative, item: this.choice(alternatives) };
      }
    }
  }

  /** Converts a group. Its modifiers, such as `(?i:` and `(?-i:`, apply inside the group. */
  private group({ modifiers, alternatives }: AST.Group): RegexNode {
    const outside = this.flags;
    const [added, removed] = [modifiers?.add?.raw ?? '', modifiers?.remove?.raw ?? ''];
    this.useFlags([...new Set(outside + added)].filter((flag) => !removed.includes(flag)).join(''));
    const item = this.choice(alternatives);
    this.useFlags(outside);
    return item;
  }

  private useFlags(flags: string): void {
    if (flags === this.flags) return;
    this.flags = flags;
    this.units = unitsWith(flags);
  }
}
