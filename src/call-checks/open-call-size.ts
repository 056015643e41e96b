import type { AdmittedCall } from '../calls/index.js';
import type { DecodedCall, DetectorOutcome, JsonValue } from '../core/index.js';

/** The estimated memory of a call without its texts. */
const CALL_BYTES = 4 * 1024;
/** The estimated memory of one text, finding or tool call without its characters: an object with its fields. */
const ITEM_BYTES = 256;
/** The estimated memory of one JSON value without its characters. */
const VALUE_BYTES = 64;
/** The maximum memory of one character. */
const CHARACTER_BYTES = 2;
/** The maximum memory per character of a parsed JSON text, reached by short values. */
const PARSED_CHARACTER_BYTES = 64;
const NUMBER_BYTES = 8;

/**
 * The memory that an admitted call uses while its end is awaited, in estimated bytes. A body of a few characters per value needs many
 * times its own length.
 *
 * @param most counting stops as soon as the result exceeds this number
 */
export function sizeOf({ doc, request, judgement, annotations }: AdmittedCall, most: number): number {
  const { repair, outcomes, findings, restorable } = judgement;
  const size = new Size(most);
  size.add(CALL_BYTES + PARSED_CHARACTER_BYTES * (annotations.metadata?.text.length ?? 0));
  // Texts without escapes are parts of the document's text, which stays in memory with them.
  size.add(CHARACTER_BYTES * (doc?.text.length ?? 0));
  for (const call of [request, ...(repair === undefined ? [] : [repair.call])]) size.addCall(call);
  size.add(ITEM_BYTES * findings.length);
  size.addOutcomes(outcomes);
  if (repair !== undefined) size.addOutcomes(repair.outcomes);
  for (const [token, value] of restorable) size.add(ITEM_BYTES + CHARACTER_BYTES * (token.length + value.length));
  return size.bytes;
}

class Size {
  bytes = 0;

  constructor(private readonly most: number) {}

  add(bytes: number): void {
    this.bytes += bytes;
  }

  addCall({ segments, declaredTools, newToolCalls, pastToolCalls, pastToolResults, ...rest }: DecodedCall): void {
    const { outputSchema, embedded = [], contents } = rest;
    const others = embedded.length + (contents?.unread.length ?? 0) + (contents?.media.length ?? 0);
    this.add(ITEM_BYTES * others);
    for (const { text, path, cuts = [], ref } of segments) {
      if (this.isOver) return;
      // A text of the document is a part of the document's text, or a copy.
      this.add(ITEM_BYTES + text.length * (ref < 0 ? CHARACTER_BYTES : 1));
      this.add(CHARACTER_BYTES * path.length + NUMBER_BYTES * cuts.length);
    }
    for (const { schema } of declaredTools) this.addItem(schema, []);
    for (const call of [...newToolCalls, ...pastToolCalls]) this.addItem(call.args, call.segments);
    for (const result of pastToolResults) this.addItem(undefined, result.segments);
    this.addItem(outputSchema, []);
  }

  addOutcomes(outcomes: readonly DetectorOutcome[]): void {
    for (const outcome of outcomes) {
      this.add(ITEM_BYTES * (1 + (outcome.status === 'scanned' ? outcome.findings.length : 0)));
    }
  }

  private get isOver(): boolean {
    return this.bytes > this.most;
  }

  private addItem(value: JsonValue | undefined, segments: readonly number[]): void {
    this.add(ITEM_BYTES + NUMBER_BYTES * segments.length);
    const open: JsonValue[] = value === undefined ? [] : [value];
    for (let next = open.pop(); next !== undefined && !this.isOver; next = open.pop()) {
      if (typeof next === 'string') this.add(CHARACTER_BYTES * next.length);
      if (typeof next !== 'object' || next === null) continue;
      const members: readonly JsonValue[] = Object.values(next);
      this.add(VALUE_BYTES * members.length);
      if (!Array.isArray(next)) for (const key of Object.keys(next)) this.add(CHARACTER_BYTES * key.length);
      // Not all values of a very long list are put on the stack.
      if (!this.isOver) for (const member of members) open.push(member);
    }
  }
}
