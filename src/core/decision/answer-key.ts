/**
 * The evaluator: rules over facts, exceptions, and the decision of a stage. The same facts always lead to the same
 * decision.
 */
import type { JsonValue } from '../model/call.js';
import type { Truth, Withheld } from '../facts/withheld.js';
import { canonicalJson } from '../json/canonical-json.js';
import { operatorNamed } from '../policy/operators.js';
import { memoizeByObject } from '../model/memoize.js';

/** How an absent fact is treated, as encoded in the operator's compiled name. */
type Absence = 'unknown' | 'absent_ok' | 'absent_zero';

/**
 * The key of a condition: a hash of its fact, its operator and the compared value, so that the same condition is found in another
 * version of a policy. An operator and its opposite share a key.
 *
 * @param op the operator's name, without the reading and absence parts of the compiled name
 * @param value the compared value with the entries of lists in place of their names, so that a changed entry changes the key
 */
export function answerKey(name: string, absence: Absence, op: string, value: unknown): string {
  const positive = operatorNamed(op)?.positive ?? op;
  return hash(`${name}\n${absence}:${positive}\n${textOf(value)}`);
}

/** The recorded result of the same condition when the fact was available; undefined if it was not evaluated then. */
export function recordedTruth(fact: Withheld, absence: Absence, op: string, value: unknown): Truth | undefined {
  const answer = fact.answers.get(answerKey(fact.name, absence, op, value));
  return answer === undefined || operatorNamed(op)?.negated !== true ? answer : opposite(answer);
}

/** The key of a comparison of two facts, made from their names and not from their values. */
export function answerKeyOfTwo([left, right]: readonly [string, string], absence: Absence, op: string): string {
  return answerKey(left, absence, op, { fact: right });
}

/** The recorded result of a comparison of two facts when both were available; undefined if it was not evaluated then. */
export function recordedTruthOfTwo(
  { answers }: Withheld,
  compared: readonly [string, string],
  absence: Absence,
  op: string,
): Truth | undefined {
  const answer = answers.get(answerKeyOfTwo(compared, absence, op));
  return answer === undefined || operatorNamed(op)?.negated !== true ? answer : opposite(answer);
}

/** The result of the opposite operator. */
export function opposite(truth: Truth): Truth {
  return truth === 'true' ? 'false' : truth === 'false' ? 'true' : truth;
}

/** Cached by object, because lists may have thousands of entries and are the same objects of the compiled policy every time. */
const textOfObject = memoizeByObject((value: object) => canonicalJson(value as JsonValue));

function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  return textOfObject(value);
}

/**
 * Two 32-bit FNV-1a hashes with different initial values, as 16 hexadecimal digits. It distinguishes conditions and is not
 * cryptographic.
 */
export function hash(text: string): string {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit ^ (low >>> 13), 0x01000193);
  }
  return hex(low) + hex(high);
}

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}
