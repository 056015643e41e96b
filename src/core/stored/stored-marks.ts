/**
 * Data that is stored with a text: the positions of its masks, their rules, and the line that represents it in lists. The data
 * is derived from texts and edits, and refers to positions in the masked text; it contains no matched values.
 */
import type { Segment } from '../model/call.js';
import { mergingEdits } from '../json/splice.js';
import { Numbering, type Mask } from '../redaction/index.js';
import { THINGS_BETWEEN_STOPS, type Steps } from '../steps/steps.js';
import { excerptOf, representativeSegment } from './excerpt.js';
import type { RuleOfMask } from './mask-rules.js';
import { storedPlaces, type StoredForm } from './stored-places.js';

/** A mask in a stored text. */
export interface StoredMask {
  /** The path of the text in the stored form; it continues into JSON inside a string. */
  readonly path: string;
  /** Start in the stored text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** The finding's code, `UNSCANNED` or `WITHHELD`. */
  readonly entity: string;
  /** The detector's key; null if a whole text is masked because its content is not known. */
  readonly detector: string | null;
  /** The rule with the strongest action on it; null if it was masked for the log only. */
  readonly rule: string | null;
  /** The number of the value: equal for equal values of one entity in one call. Null if it is not known. */
  readonly n: number | null;
}

export interface StoredMarks {
  readonly masks: readonly StoredMask[];
  /** The number of masks that are not in `masks`: those beyond `MAX_MASKS`, and those to which no path can refer. */
  readonly masksLeftOut: number;
  /** At most `MAX_EXCERPT` units of the stored text; absent if there is no text. */
  readonly excerpt?: string;
}

export const MAX_MASKS = 1_000;

export interface MarkingInput {
  readonly form: StoredForm;
  readonly segments: readonly Segment[];
  /** The masks in `segments`. */
  readonly masks: readonly Mask[];
  readonly ruleOf: RuleOfMask;
  /** The numbers of values that are already known; null if values of the call also occur elsewhere, so that none is numbered. */
  readonly numbering: Numbering | null;
}

/** Creates the marks of a stored call. The work is proportional to the number of masks, regardless of the length of the texts. */
export function* markingStored(input: MarkingInput): Steps<StoredMarks> {
  const { form, segments, masks } = input;
  const places = yield* storedPlaces(form, segments, masks);
  const numbers = yield* numbersOf(input);
  const groups = new Map<number, Numbered[]>();
  for (let index = 0; index < masks.length; index++) {
    if (index % THINGS_BETWEEN_STOPS === 0) yield;
    const mask = masks[index]!;
    const place = places.placeOf(mask.segment);
    if (place === undefined) continue;
    const group = groups.get(place);
    // Only the few masks with a number are copied.
    const n = numbers[index] ?? null;
    const numbered: Numbered = n === null ? mask : { ...mask, n };
    if (group === undefined) groups.set(place, [numbered]);
    else group.push(numbered);
  }
  const storedMasks: StoredMask[] = [];
  let masksLeftOut = 0;
  for (const group of groups.values()) {
    yield;
    const path = places.pathOf(group[0]!.segment);
    if (path === undefined || storedMasks.length >= MAX_MASKS) {
      masksLeftOut += group.length;
      continue;
    }
    const edits = yield* mergingMasks(group);
    const room = MAX_MASKS - storedMasks.length;
    masksLeftOut += Math.max(0, edits.length - room);
    storedMasks.push(...marksAt(path, edits.slice(0, room), input.ruleOf));
  }
  const shown = yield* representativeSegment(segments, (segment) => places.pathOf(segment) !== undefined);
  if (shown === undefined) return { masks: storedMasks, masksLeftOut };
  const place = places.placeOf(shown);
  const edits = yield* mergingMasks((place === undefined ? undefined : groups.get(place)) ?? []);
  return { masks: storedMasks, masksLeftOut, excerpt: excerptOf(segments[shown]!.text, edits) };
}

/**
 * Numbers the masked values of a call in the same way as `markingStored`, for later events of the call.
 * @returns one number per mask; null beyond `MAX_MASKS`, and for whole texts
 */
export function* numbersOf({
  segments,
  masks,
  numbering,
}: Pick<MarkingInput, 'segments' | 'masks' | 'numbering'>): Steps<(number | null)[]> {
  const numbers: (number | null)[] = [];
  if (numbering === null) return numbers;
  for (const { segment, start, end, code, detector } of masks.slice(0, MAX_MASKS)) {
    numbers.push(detector === undefined ? null : numbering.of(code, segments[segment]!.text.slice(start, end)));
  }
  yield;
  return numbers;
}

interface Numbered extends Mask {
  /** The number of the value; absent if it has none. */
  readonly n?: number;
}

/** The masks of one text, ordered, with overlapping ones merged. */
function* mergingMasks(masks: readonly Numbered[]): Steps<readonly Numbered[]> {
  if (masks.length < 2) return masks;
  // A merged mask is the first of the overlapping ones, extended.
  return (yield* mergingEdits(masks)) as Numbered[];
}

function marksAt(path: string, edits: readonly Numbered[], ruleOf: RuleOfMask): StoredMask[] {
  let moved = 0;
  return edits.map(({ segment, start, end, replacement, code, detector, n = null }) => {
    const from = start + moved;
    moved += replacement.length - (end - start);
    const rule = detector === undefined ? null : ruleOf(detector, code, segment);
    return { path, start: from, end: from + replacement.length, entity: code, detector: detector ?? null, rule, n };
  });
}
