import type { FindInfo, Found } from '../../src/core/plugin-api.js';

/** IEEE 802, "EUI-48": six octets joined by `:` or `-`, or three groups of two joined by `.` as routers print them. */
const MAC =
  /(?<![A-Za-z0-9][-:.]?)(?:[0-9A-F]{2}(?::[0-9A-F]{2}){5}|[0-9A-F]{2}(?:-[0-9A-F]{2}){5}|[0-9A-F]{4}\.[0-9A-F]{4}\.[0-9A-F]{4})(?![-:.]?[A-Za-z0-9])/iy;
/** A possible address at the end of a text that is incomplete or depends on the next characters. */
const UNFINISHED =
  /(?<![A-Za-z0-9][-:.]?)(?:[0-9A-F]{1,4}|[0-9A-F]{2}(?::[0-9A-F]{2}){0,5}:[0-9A-F]{0,2}|[0-9A-F]{2}(?:-[0-9A-F]{2}){0,5}-[0-9A-F]{0,2}|[0-9A-F]{4}(?:\.[0-9A-F]{4}){0,2}\.[0-9A-F]{0,4}|[0-9A-F]{2}(?:[:-][0-9A-F]{2}){5}[-:.]|[0-9A-F]{4}(?:\.[0-9A-F]{4}){2}[-:.])$/i;
/** Maximum length of an address with one more separator and the characters examined before it. */
const TAIL_UNITS = 24;

const DOT = 0x2e;

/** Cheap check whether a colon, dash or full stop can be the first separator of an address; nearly all fail. */
export function mayBeMac(text: string, joint: number): boolean {
  const unit = text.charCodeAt(joint);
  const octets = unit === DOT ? 2 : 1;
  return joint >= 2 * octets && text.charCodeAt(joint + 2 * octets + 1) === unit;
}

/** Finds a hardware address whose first separator is at `joint`; broadcast and all-zero addresses are excluded. */
export function findMac(text: string, joint: number, { inContext }: FindInfo): Found | undefined {
  const start = joint - (text.charCodeAt(joint) === DOT ? 4 : 2);
  MAC.lastIndex = start;
  const match = MAC.exec(text);
  if (match === null || /^(?:(?:f[-:.]?)+|(?:0[-:.]?)+)$/i.test(match[0])) return undefined;
  return { start, end: start + match[0].length, score: inContext ? 0.9 : 0.85 };
}

/** The start of a possible address that is truncated by the end of the text or depends on the next characters. */
export function undecidedMac(text: string): number {
  const tail = text.slice(Math.max(0, text.length - TAIL_UNITS));
  const match = UNFINISHED.exec(tail);
  return match === null ? text.length : text.length - tail.length + match.index;
}
