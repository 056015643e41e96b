import type { JsonValue } from '../../core/model/call.js';
import { membersOf } from './order.js';

const MONEY = /^prices\.|\.usd$/;
const SHOWN = 6;

/** The difference between two values of a leaf, for people: `$50 → $500`, `no longer EMAIL`. */
export function shownChange(leaf: string, before: JsonValue | undefined, after: JsonValue | undefined): string {
  if (isList(before) && isList(after) && before.length + after.length > 0) {
    const [was, is] = [membersOf(before), membersOf(after)];
    const gone = [...was].filter((one) => !is.has(one));
    const added = [...is].filter((one) => !was.has(one));
    const parts = [
      ...(gone.length === 0 ? [] : [`no longer ${listed(gone)}`]),
      ...(added.length === 0 ? [] : [`also ${listed(added)}`]),
    ];
    return parts.join(', ');
  }
  if (isScores(before) && isScores(after)) {
    const codes = Object.keys(after).filter((code) => before[code] !== undefined && before[code] !== after[code]);
    const parts = codes.slice(0, SHOWN).map((code) => `${code} ${before[code]} → ${after[code]}`);
    return codes.length > SHOWN ? `${parts.join(', ')} and ${codes.length - SHOWN} more` : parts.join(', ');
  }
  return `${shownValue(leaf, before)} → ${shownValue(leaf, after)}`;
}

/** A value of a leaf as people write it. */
export function shownValue(leaf: string, value: JsonValue | undefined): string {
  if (value === undefined) return 'none';
  if (MONEY.test(leaf) && typeof value === 'string') return dollars(BigInt(value));
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Formats an amount in nano-dollars: `$0.75`. */
export function dollars(nanoUsd: bigint): string {
  const whole = nanoUsd / 1_000_000_000n;
  const rest = String(nanoUsd % 1_000_000_000n)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `$${whole}${rest === '' ? '' : `.${rest.padEnd(2, '0')}`}`;
}

function listed(members: readonly string[]): string {
  const names = members.slice(0, SHOWN).map((one) => String(JSON.parse(one)));
  return members.length > SHOWN ? `${names.join(', ')} and ${members.length - SHOWN} more` : names.join(', ');
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function isScores(value: JsonValue | undefined): value is Readonly<Record<string, number>> {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isMap && Object.values(value).every((one) => typeof one === 'number');
}

/** A value in the format of policy files: dollars as a number; null if none is set. */
export function plainValue(leaf: string, value: JsonValue | undefined): JsonValue {
  if (value === undefined) return null;
  return MONEY.test(leaf) && typeof value === 'string' ? Number(value) / 1e9 : value;
}
