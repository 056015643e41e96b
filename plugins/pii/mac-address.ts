import type { FindInfo, Found } from '../../src/core/plugin-api.js';

/** IEEE 802, "EUI-48": six octets joined by `:` or `-`, or three groups of two joined by `.` as routers print them. */
const MAC =
  /(?<![A-Za-z0-9][-:.]?)(?:[0-9A-F]{2}(?::[0-9A-F]{2}){5}|[0-9A-F]{2}(?:-[0-9A-F]{2}){5}|[0-9A-F]{4}\.[0-9A-F]{4}\.[0-9A-F]{4})(?![-:.]?[A-Za-z0-9])/iy;
/** What goes on as an address, or whose next characters decide, where a text ends. */
const UNFINISHED =
  /(?<![A-Za-z0-9][-:.]?)(?:[0-9A-F]{1,4}|[0-9A-F]{2}(?::[0-9A-F]{2}){0,5}:[0-9A-F]{0,2}|[0-9A-F]{2}(?:-[0-9A-F]{2}){0,5}-[0-9A-F]{0,2}|[0-9A-F]{4}(?:\.[0-9A-F]{4}){0,2}\.[0-9A-F]{0,4}|[0-9A-F]{2}(?:[:-][0-9A-F]{2}){5}[-:.]|[0-9A-F]{4}(?:\.[0-9A-F]{4}){2}[-:.])$/i;
/** An address, the joint after it, and what stands left of it. */
const TAIL_UNITS = 24;

const DOT = 0x2e;

/** Whether a colon, a dash or a full stop can be the first joint of an address: nearly none is. */
export function mayBeMac(text: string, joint: number): boolean {
  const unit = text.charCodeAt(joint);
  const octets = unit === DOT ? 2 : 1;
  return joint >= 2 * octets && text.charCodeAt(joint + 2 * octets + 1) === unit;
}

/** A hardware address whose first joint is at `joint`; broadcast and empty ones are none. */
export function findMac(text: string, joint: number, { inContext }: FindInfo): Found | undefined {
  const start = joint - (text.charCodeAt(joint) === DOT ? 4 : 2);
  MAC.lastIndex = start;
  const match = MAC.exec(text);
  if (match === null || /^(?:(?:f[-:.]?)+|(?:0[-:.]?)+)$/i.test(match[0])) return undefined;
  return { start, end: start + match[0].length, score: inContext ? 0.9 : 0.85 };
}

/** Where an address may have begun that the end of the text cuts off, or that only its next characters decide. */
export function undecidedMac(text: string): number {
  const tail = text.slice(Math.max(0, text.length - TAIL_UNITS));
  const match = UNFINISHED.exec(tail);
  return match === null ? text.length : text.length - tail.length + match.index;
}
