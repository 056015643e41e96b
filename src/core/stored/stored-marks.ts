/**
 * Data that is stored with a text: the positions of its masks, their rules, and the line that represents it in lists. It is derived from
 * texts and edits, and refers to positions in the masked text; it contains no matched values.
 */
import type { Segment } from '../model/call.js';
import { mergingEdits } from '../json/splice.js';
import { Numbering, type Mask } from '../redaction/index.js';
import { THINGS_BETWEEN_STOPS, type Steps } from '../steps/steps.js';
import { excerptOf, representativeSegment } from './excerpt.js';
import type { RuleOfMask } from './mask-rules.js';
import { storedPlaces, type StoredForm } from './stored-places.js';

/** What stands instead of something in a stored text. */
export interface StoredMask {
  /** Of the text in what is stored; it goes on into JSON that a string holds. */
  readonly path: string;
  /** Start in the stored text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** The finding's code, `UNSCANNED` or `WITHHELD`. */
  readonly entity: string;
  /** Null where a whole text is masked because nobody can vouch for it. */
  readonly detector: string | null;
  /** The rule with the strongest action on it; null where it was masked for the log only. */
  readonly rule: string | null;
  /** The same number: the same value, among those of one entity in one call. Null where that is not known. */
  readonly n: number | null;
}

export interface StoredMarks {
  readonly masks: readonly StoredMask[];
  /** Of how many masked places `masks` does not tell: beyond `MAX_MASKS`, or where no path leads. */
  readonly masksLeftOut: number;
  /** At most `MAX_EXCERPT` units of the stored text; absent where there is none. */
  readonly excerpt?: string;
}

export const MAX_MASKS = 1_000;

export interface MarkingInput {
  readonly form: StoredForm;
  readonly segments: readonly Segment[];
  /** What is masked in `segments`. */
  readonly masks: readonly Mask[];
  readonly ruleOf: RuleOfMask;
  /** Numbers of values that are known already; null where values of the call also stand elsewhere. */
  readonly numbering: Numbering | null;
}

/** Told in proportion to the number of masks, whatever the length of the texts. */
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
    // Few have a number: the others need no copy.
    const n = numbers[index] ?? null;
    const numbered: Numbered = n === null ? mask : { ...mask, n };
    if (group === undefined) groups.set(place, [numbered]);
    else group.push(numbered);
  }
  const told: StoredMask[] = [];
  let masksLeftOut = 0;
  for (const group of groups.values()) {
    yield;
    const path = places.pathOf(group[0]!.segment);
    if (path === undefined || told.length >= MAX_MASKS) {
      masksLeftOut += group.length;
      continue;
    }
    const edits = yield* mergingMasks(group);
    const room = MAX_MASKS - told.length;
    masksLeftOut += Math.max(0, edits.length - room);
    told.push(...marksAt(path, edits.slice(0, room), input.ruleOf));
  }
  const shown = yield* representativeSegment(segments, (segment) => places.pathOf(segment) !== undefined);
  if (shown === undefined) return { masks: told, masksLeftOut };
  const place = places.placeOf(shown);
  const edits = yield* mergingMasks((place === undefined ? undefined : groups.get(place)) ?? []);
  return { masks: told, masksLeftOut, excerpt: excerptOf(segments[shown]!.text, edits) };
}

/**
 * Gives numbers to the values that are masked in a call, as `markingStored` does: for what is said of it later.
 * @returns one per mask; null beyond those that are told, and for whole texts
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
  /** Absent without a number. */
  readonly n?: number;
}

/** As they are made in one text: ordered, and those that overlap are one. */
function* mergingMasks(masks: readonly Numbered[]): Steps<readonly Numbered[]> {
  if (masks.length < 2) return masks;
  // What is merged is the first one of them, longer.
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
