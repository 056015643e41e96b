import type { RegexNode, UnitNode } from './regex-tree.js';
import { UNIT_KINDS, unitSet, type UnitSet } from './unit-set.js';

/**
 * The form of a token's beginning as a small number: how many digits it begins with, and the kinds of the following units. Patterns that
 * cannot begin in this way need not be tried, which excludes most of them at most positions.
 */
export type TokenShape = number;

/** Maximum number of leading digits that are distinguished. */
const MAX_DIGITS = 24;
/** Number of units after the leading digits that are considered. */
const AFTER = 4;
const AFTER_SHAPES = UNIT_KINDS.length ** AFTER;
const CLOSED_SHAPES = (MAX_DIGITS + 1) * AFTER_SHAPES;
/** By the number of known units after the leading digits: the first shape among those cut off by the end of the text. */
const OPEN_FROM = Array.from(
  { length: AFTER },
  (_, known) => (UNIT_KINDS.length ** known - 1) / (UNIT_KINDS.length - 1),
);
const OPEN_PER_DIGITS = (AFTER_SHAPES - 1) / (UNIT_KINDS.length - 1);
export const SHAPES = CLOSED_SHAPES + MAX_DIGITS * OPEN_PER_DIGITS;

/** Index into `UNIT_KINDS` of each ASCII unit. */
const kindOfAscii = new Uint8Array(0x80);
UNIT_KINDS.forEach(({ units }, kind) => {
  for (const unit of units) kindOfAscii[unit.charCodeAt(0)] = kind;
});
/** Index of the kind of digits. */
const DIGIT = 1;

/** The shape of the text at `start`. The end of the text counts as a unit of another kind. */
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
    after = after * UNIT_KINDS.length + (unit < 0x80 ? kindOfAscii[unit]! : 0);
  }
  return digits * AFTER_SHAPES + after;
}

/** The shape of a growing text at `start`: any text may follow its end. */
export function openShapeAt(text: string, start: number): TokenShape {
  let at = start;
  const end = Math.min(text.length, start + MAX_DIGITS);
  while (at < end && text.charCodeAt(at) >= 0x30 && text.charCodeAt(at) <= 0x39) at++;
  const digits = at - start;
  // A token with the maximum number of digits has the same shape whatever follows it.
  if (digits === MAX_DIGITS) return digits * AFTER_SHAPES;
  const known = Math.min(AFTER, text.length - at);
  let after = 0;
  for (let index = 0; index < known; index++) {
    const unit = text.charCodeAt(at + index);
    after = after * UNIT_KINDS.length + (unit < 0x80 ? kindOfAscii[unit]! : 0);
  }
  if (known === AFTER) return digits * AFTER_SHAPES + after;
  return CLOSED_SHAPES + digits * OPEN_PER_DIGITS + OPEN_FROM[known]! + after;
}

/** Whether a pattern can match text with this beginning. A false result is certain, a true one is not. */
export type ShapeTest = (beginning: Beginning) => boolean;

/** Offsets of the first units by kind, as bit sets, and the number of known units. */
export interface Beginning {
  readonly placesOf: readonly number[];
  readonly known: number;
}

/**
 * Evaluates a regular expression on shapes instead of texts, with bit sets of offsets. Units beyond the known ones may be anything.
 * Assertions are ignored, except those that forbid a kind of unit.
 */
export function shapeTest(tree: RegexNode): ShapeTest {
  const follow = follower(tree);
  return (beginning) => follow(1, beginning) !== 0;
}

/** The known units of a shape. */
export function beginningOf(shape: TokenShape): Beginning {
  if (shape >= CLOSED_SHAPES) return beginningOfOpen(shape - CLOSED_SHAPES);
  const digits = Math.floor(shape / AFTER_SHAPES);
  const placesOf = UNIT_KINDS.map((_, kind) => (kind === DIGIT ? (1 << digits) - 1 : 0));
  // After the maximum number of digits there may be more, so the following units are unknown.
  if (digits === MAX_DIGITS) return { placesOf, known: digits };
  return withKinds(placesOf, digits, AFTER, shape % AFTER_SHAPES);
}

function beginningOfOpen(shape: number): Beginning {
  const digits = Math.floor(shape / OPEN_PER_DIGITS);
  const rest = shape % OPEN_PER_DIGITS;
  const after = OPEN_FROM.findLastIndex((from) => from <= rest);
  const placesOf = UNIT_KINDS.map((_, kind) => (kind === DIGIT ? (1 << digits) - 1 : 0));
  return withKinds(placesOf, digits, after, rest - OPEN_FROM[after]!);
}

/** Adds the kinds of the units after the digits, decoded from a number, the last one first. */
function withKinds(placesOf: number[], digits: number, after: number, kinds: number): Beginning {
  for (let index = 0, rest = kinds; index < after; index++) {
    placesOf[rest % UNIT_KINDS.length]! |= 1 << (digits + after - 1 - index);
    rest = Math.floor(rest / UNIT_KINDS.length);
  }
  return { placesOf, known: digits + after };
}

/** Maps the offsets at which a node may begin to those at which it may end. */
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
  const { someOf } = unitSet(node);
  return (offsets, { placesOf, known }) => {
    let places = 0;
    for (let kind = 0; kind < placesOf.length; kind++) if (someOf[kind]) places |= placesOf[kind]!;
    let reached = (offsets & places) << 1;
    if (node.most === 2) reached |= ((offsets & placesOf[0]!) << 2) & ((1 << (known + 1)) - 1);
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

/** `(?![A-Za-z0-9]|…)`: excludes each offset whose next unit belongs to a kind that is forbidden entirely. */
function forbids(item: RegexNode): Follow {
  const options = item.kind === 'choice' ? item.options : [item];
  const sets = options.filter((option): option is UnitNode => option.kind === 'unit').map(unitSet);
  const forbidden = UNIT_KINDS.map((_, kind) => sets.some(({ allOf }: UnitSet) => allOf[kind]));
  return (offsets, { placesOf }) => {
    let places = 0;
    for (let kind = 1; kind < placesOf.length; kind++) if (forbidden[kind]) places |= placesOf[kind]!;
    return offsets & ~places;
  };
}
