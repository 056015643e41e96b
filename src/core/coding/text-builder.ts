import { atOnce, type Steps } from '../steps/steps.js';

const CHUNK = 8_192;
const UNITS_AT_ONCE = 65_536;

/** Builds a long text from its UTF-16 code units. */
export function textOfUnits(units: Uint16Array, length = units.length): string {
  return atOnce(buildingText(units, length));
}

/** `textOfUnits` in steps. */
export function* buildingText(units: Uint16Array, length: number): Steps<string> {
  const parts: string[] = [];
  for (let at = 0; at < length; at += CHUNK) {
    // Passed as the argument list: engines accept typed arrays there, while spreading would iterate over each element.
    const chunk = units.subarray(at, Math.min(length, at + CHUNK)) as unknown as number[];
    parts.push(String.fromCharCode.apply(null, chunk));
    if ((at + CHUNK) % UNITS_AT_ONCE === 0) yield;
  }
  return parts.length === 1 ? parts[0]! : parts.join('');
}
