/**
 * The evaluator: rules over facts, exceptions, and the decision of a stage. The same facts always lead to the same
 * decision.
 */
import type { JsonValue } from '../model/call.js';
import type { Truth, Withheld } from '../facts/withheld.js';
import { canonicalJson } from '../json/canonical-json.js';
import { operatorNamed } from '../policy/operators.js';
import { memoizeByObject } from '../model/memoize.js';

/** What an absent fact counts as, as the operator's compiled name says it. */
type Absence = 'unknown' | 'absent_ok' | 'absent_zero';

/**
 * Names a condition by what it asks, so that it is found again in another version of a policy: fact, operator, and what
 * is compared with. An operator and its opposite are one question.
 *
 * @param op compiled name, without reading and absence
 */
export function answerKey(name: string, absence: Absence, op: string, value: unknown): string {
  const positive = operatorNamed(op)?.positive ?? op;
  return hash(`${name}\n${absence}:${positive}\n${textOf(value)}`);
}

/** What the same condition said when the fact was there; undefined when nobody asked. */
export function recordedTruth(fact: Withheld, absence: Absence, op: string, value: unknown): Truth | undefined {
  const answer = fact.answers.get(answerKey(fact.name, absence, op, value));
  return answer === undefined || operatorNamed(op)?.negated !== true ? answer : opposite(answer);
}

/** The key of a comparison of two facts: by their names, whatever they held. */
export function answerKeyOfTwo([left, right]: readonly [string, string], absence: Absence, op: string): string {
  return answerKey(left, absence, op, { fact: right });
}

/** What a comparison of two facts said when both were there; undefined when nobody asked. */
export function recordedTruthOfTwo(
  { answers }: Withheld,
  compared: readonly [string, string],
  absence: Absence,
  op: string,
): Truth | undefined {
  const answer = answers.get(answerKeyOfTwo(compared, absence, op));
  return answer === undefined || operatorNamed(op)?.negated !== true ? answer : opposite(answer);
}

/** The answer to the opposite question. */
export function opposite(truth: Truth): Truth {
  return truth === 'true' ? 'false' : truth === 'false' ? 'true' : truth;
}

/** Lists come from the compiled policy and are the same object every time; they may have thousands of entries. */
const textOfObject = memoizeByObject((value: object) => canonicalJson(value as JsonValue));

function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  return textOfObject(value);
}

/** Two 32-bit FNV-1a hashes with different starts, as 16 hexadecimal digits: tells conditions apart, protects nothing. */
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
