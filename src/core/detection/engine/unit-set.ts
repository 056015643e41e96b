import type { RegexNode, UnitNode } from './regex-tree.js';
import { memoizeByObject } from '../../model/memoize.js';

/**
 * The kinds of units that shapes distinguish. The first contains all units that the others do not list, including all non-ASCII ones; the
 * second contains the digits.
 */
export const UNIT_KINDS: readonly { readonly units: string }[] = [
  { units: '' },
  { units: '0123456789' },
  { units: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ' },
  { units: 'abcdefghijklmnopqrstuvwxyz' },
  { units: ' ' },
  { units: '-./:' },
];

const ASCII = 0x80;
/** Index that represents all non-ASCII units in the sets of `firstUnits`. */
export const BEYOND_ASCII = ASCII;

/** The units that one character of a set can be. */
export interface UnitSet {
  /** Whether each ASCII unit is in the set; at `BEYOND_ASCII`, whether any other may be. */
  readonly units: Uint8Array;
  /** By kind: whether some of its units are in the set. */
  readonly someOf: readonly boolean[];
  /** By kind, except the first: whether all of its units are in the set. */
  readonly allOf: readonly boolean[];
}

/** The set of a node, computed by trying each ASCII unit. Cached, because patterns share most of their nodes. */
export const unitSet = memoizeByObject(readSet);

const listed = UNIT_KINDS.map((kind) => [...kind.units].map((unit) => unit.charCodeAt(0)));
const unlisted = Array.from({ length: ASCII + 1 }, (_, unit) => unit).filter((unit) => !listed.flat().includes(unit));
/** The units of each kind. */
const unitsOfKind = listed.map((units, kind) => (kind === 0 ? unlisted : units));

function readSet(node: UnitNode): UnitSet {
  const units = new Uint8Array(ASCII + 1);
  if (isLetterItself(node)) fillLetter(units, node);
  else fillByTrying(units, node);
  return {
    units,
    someOf: unitsOfKind.map((kind) => kind.some((unit) => units[unit] === 1)),
    allOf: unitsOfKind.map((kind, index) => index > 0 && kind.every((unit) => units[unit] === 1)),
  };
}

/** Whether a node is one literal letter or digit, like most nodes. */
function isLetterItself({ source, flags }: UnitNode): boolean {
  return /^[A-Za-z0-9]$/.test(source) && !/[uv]/.test(flags);
}

function fillLetter(units: Uint8Array, { source, flags }: UnitNode): void {
  units[source.charCodeAt(0)] = 1;
  if (!flags.includes('i')) return;
  units[source.toLowerCase().charCodeAt(0)] = 1;
  units[source.toUpperCase().charCodeAt(0)] = 1;
}

/** Every ASCII unit in one text. */
const EVERY_UNIT = String.fromCharCode(...Array.from({ length: ASCII }, (_, unit) => unit));
const MATCHED = 0x100;

/** Tries every ASCII unit. A non-ASCII unit may be in any set except the simplest ones. */
function fillByTrying(units: Uint8Array, { source, flags }: UnitNode): void {
  // The node matches one unit at a time, so one run over a text of all units tries them all.
  const marked = EVERY_UNIT.replace(
    new RegExp(source, flags.replace(/[mgyd]/g, '') + 'g'),
    String.fromCharCode(MATCHED),
  );
  for (let unit = 0; unit < ASCII; unit++) units[unit] = marked.charCodeAt(unit) === MATCHED ? 1 : 0;
  const plain = /^(?:[\x20-\x7e]|\[[\x20-\x5b\x5d\x5f-\x7e]{1,200}\]|\\[dw])$/.test(source) && source !== '.';
  units[BEYOND_ASCII] = plain && !/[uv]/.test(flags) ? 0 : 1;
}

/** The units with which a match can begin, as in `UnitSet.units`; all of them if it can be empty. */
export function firstUnits(tree: RegexNode): Uint8Array {
  const units = new Uint8Array(ASCII + 1);
  return addFirst(tree, units) ? units.fill(1) : units;
}

/** Adds the units with which a node can begin; returns whether it can be empty, so that the next node also counts. */
function addFirst(node: RegexNode, into: Uint8Array): boolean {
  switch (node.kind) {
    case 'unit': {
      const { units } = unitSet(node);
      for (let unit = 0; unit < into.length; unit++) into[unit]! |= units[unit]!;
      return false;
    }
    case 'sequence':
      return node.items.every((item) => addFirst(item, into));
    case 'choice':
      return node.options.map((option) => addFirst(option, into)).some((empty) => empty);
    case 'repeat':
      return (node.most > 0 && addFirst(node.item, into)) || node.least === 0;
    case 'look':
    case 'edge':
      return true;
  }
}
