import { regexTree, type RegexNode, type UnitNode } from './regex-tree.js';

/**
 * What the beginning of a token looks like, in a small number: how many digits it begins with, and of what kind the
 * units after them are. Patterns that cannot begin like that need not be tried, which is most of them at most places.
 */
export type TokenShape = number;

const OTHER = 1;
const DIGIT = 2;
const UPPER = 4;
const LOWER = 8;
const KINDS = [OTHER, DIGIT, UPPER, LOWER] as const;
const ANY = OTHER | DIGIT | UPPER | LOWER;

/** More leading digits are not told apart. */
const MAX_DIGITS = 24;
/** Units that are looked at after the leading digits. */
const AFTER = 4;
const AFTER_SHAPES = KINDS.length ** AFTER;
export const SHAPES = (MAX_DIGITS + 1) * AFTER_SHAPES;

/** Index into `KINDS` of each ASCII unit. */
const kindOfAscii = new Uint8Array(0x80);
kindOfAscii.fill(1, 0x30, 0x3a);
kindOfAscii.fill(2, 0x41, 0x5b);
kindOfAscii.fill(3, 0x61, 0x7b);

/** The shape of what begins at `start`. The end of a text counts as one more unit of another kind. */
export function shapeAt(text: string, start: number): TokenShape {
  let at = start;
  const mostDigits = Math.min(text.length, start + MAX_DIGITS);
  for (; at < mostDigits; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x30 || unit > 0x39) break;
  }
  const digits = at - start;
  let after = 0;
  for (let index = 0; index < AFTER; index++) {
    const unit = at + index < text.length ? text.charCodeAt(at + index) : 0;
    after = after * KINDS.length + (unit < 0x80 ? kindOfAscii[unit]! : 0);
  }
  return digits * AFTER_SHAPES + after;
}

/** Whether a pattern can match where a token of this shape begins. False is certain, true is not. */
export type ShapeTest = (shape: TokenShape) => boolean;

/** Places of the units of a shape by kind, and how many units are known: sets of offsets as bits. */
interface Beginning {
  readonly placesOf: readonly [number, number, number, number];
  readonly known: number;
}

/**
 * Follows a regular expression over shapes instead of texts: sets of offsets, as bits, go through its structure. What
 * stands beyond the known units may be anything. Of assertions only those that forbid a kind of unit are followed.
 *
 * @throws RangeError for a regular expression that `regexTree` does not read.
 */
export function shapeTest(regex: RegExp): ShapeTest {
  const follow = follower(regexTree(regex));
  return (shape) => follow(1, beginningOf(shape)) !== 0;
}

function beginningOf(shape: TokenShape): Beginning {
  const digits = Math.floor(shape / AFTER_SHAPES);
  const placesOf: [number, number, number, number] = [0, (1 << digits) - 1, 0, 0];
  // After the most digits that are counted there may be more: what follows is not known.
  if (digits === MAX_DIGITS) return { placesOf, known: digits };
  for (let index = 0, rest = shape % AFTER_SHAPES; index < AFTER; index++) {
    const kind = rest % KINDS.length;
    rest = Math.floor(rest / KINDS.length);
    placesOf[kind]! |= 1 << (digits + AFTER - 1 - index);
  }
  return { placesOf, known: digits + AFTER };
}

/** From the offsets at which something may begin to those at which it may end. */
type Follow = (offsets: number, beginning: Beginning) => number;

function follower(node: RegexNode): Follow {
  switch (node.kind) {
    case 'unit':
      return unitFollower(node);
    case 'sequence': {
      const items = node.items.map(follower);
      return (offsets, beginning) => {
        let reached = offsets;
        for (const item of items) {
          if (reached === 0) return 0;
          reached = item(reached, beginning);
        }
        return reached;
      };
    }
    case 'choice': {
      const options = node.options.map(follower);
      return (offsets, beginning) => options.reduce((reached, option) => reached | option(offsets, beginning), 0);
    }
    case 'repeat':
      return repeatFollower(follower(node.item), node.least, node.most);
    case 'look':
      return node.ahead && node.negative ? forbids(node.item) : (offsets) => offsets;
    case 'edge':
      return (offsets) => offsets;
  }
}

function unitFollower(node: UnitNode): Follow {
  const kinds = possibleKinds(node);
  return (offsets, { placesOf, known }) => {
    let places = 0;
    for (let kind = 0; kind < KINDS.length; kind++) if ((kinds & KINDS[kind]!) !== 0) places |= placesOf[kind]!;
    let reached = (offsets & places) << 1;
    if (node.most === 2) reached |= ((offsets & placesOf[0]) << 2) & ((1 << (known + 1)) - 1);
    return reached | (offsets & (1 << known));
  };
}

function repeatFollower(item: Follow, least: number, most: number): Follow {
  return (offsets, beginning) => {
    let here = offsets;
    let reached = least === 0 ? offsets : 0;
    for (let times = 1; times <= most && here !== 0; times++) {
      const next = item(here, beginning);
      if (times >= least) {
        if ((reached | next) === reached && next === here) break;
        reached |= next;
      }
      if (next === here && times < least) return reached | next;
      here = next;
    }
    return reached;
  };
}

/** `(?![A-Za-z0-9]|…)`: nothing may end before a unit of a kind of which every unit is forbidden. */
function forbids(item: RegexNode): Follow {
  const options = item.kind === 'choice' ? item.options : [item];
  const kinds = options.reduce((mask, option) => (option.kind === 'unit' ? mask | certainKinds(option) : mask), 0);
  return (offsets, { placesOf }) => {
    let forbidden = 0;
    for (let kind = 1; kind < KINDS.length; kind++) if ((kinds & KINDS[kind]!) !== 0) forbidden |= placesOf[kind]!;
    return offsets & ~forbidden;
  };
}

/** Kinds of which some unit is in the set. A unit that is not ASCII may be in any set but the plainest. */
function possibleKinds(node: UnitNode): number {
  let kinds =
    /^(?:[\x20-\x7e]|\[[\x20-\x5b\x5d\x5f-\x7e]{1,200}\]|\\[dw])$/.test(node.source) && node.source !== '.' ? 0 : OTHER;
  if (/[uv]/.test(node.flags)) kinds |= OTHER;
  const regex = unitRegex(node);
  for (let unit = 0; unit < 0x80; unit++) {
    if (regex.test(String.fromCharCode(unit))) kinds |= KINDS[kindOfAscii[unit]!]!;
  }
  return kinds & ANY;
}

/** Kinds, but for the other one, of which every unit is in the set. */
function certainKinds(node: UnitNode): number {
  const regex = unitRegex(node);
  let kinds = DIGIT | UPPER | LOWER;
  for (let unit = 0; unit < 0x80; unit++) {
    if (!regex.test(String.fromCharCode(unit))) kinds &= ~KINDS[kindOfAscii[unit]!]!;
  }
  return kinds;
}

function unitRegex({ source, flags }: UnitNode): RegExp {
  return new RegExp(`^(?:${source})$`, flags.replace('m', ''));
}
