import type { RegexNode } from './regex-tree.js';
import { BEYOND_ASCII, unitSet } from './unit-set.js';

/** The minimum number of ASCII letters and digits with which a match of a node begins. */
interface Run {
  readonly units: number;
  /** Whether the node contains nothing else, so that the run continues in the next node. */
  readonly isAll: boolean;
}

/** Minimum number of ASCII letters and digits with which every match of an expression begins. */
export function leastRun(tree: RegexNode): number {
  return runOf(tree).units;
}

function runOf(node: RegexNode): Run {
  switch (node.kind) {
    case 'unit': {
      const isAll = unitSet(node).units.every(
        (has, unit) => has === 0 || (unit < BEYOND_ASCII && isAlphanumeric(unit)),
      );
      return { units: isAll ? node.least : 0, isAll };
    }
    case 'sequence': {
      let units = 0;
      for (const item of node.items) {
        const run = runOf(item);
        units += run.units;
        if (!run.isAll) return { units, isAll: false };
      }
      return { units, isAll: true };
    }
    case 'choice': {
      const options = node.options.map(runOf);
      return { units: Math.min(...options.map(({ units }) => units)), isAll: options.every(({ isAll }) => isAll) };
    }
    case 'repeat': {
      const { units, isAll } = runOf(node.item);
      if (isAll) return { units: units * node.least, isAll };
      return { units: node.least === 0 ? 0 : units, isAll };
    }
    case 'look':
    case 'edge':
      return { units: 0, isAll: true };
  }
}

/** Number of letters and digits at a position of a growing text; infinite if they reach the end of the text. */
export function openRunAt(text: string, place: number): number {
  let at = place;
  while (at < text.length && isAlphanumeric(text.charCodeAt(at))) at++;
  return at < text.length ? at - place : Infinity;
}

function isAlphanumeric(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a);
}
