/** The rule responsible for each mask. */
import { strengthOf } from '../model/actions.js';
import type { ToolCall } from '../model/call.js';
import type { FiredRule } from '../model/decision.js';

/** The rule that a finding is shown with; null where none spoke of it. */
export type RuleOfMask = (detector: string, code: string, segment: number) => string | null;

/** The place of rules that were asked about the whole call. */
const WHOLE_CALL = -1;

interface Speaker {
  readonly rule: string;
  readonly strength: number;
}

/**
 * Of several rules that speak of a finding the one that did most about it: one that is enforced before one that only
 * reports, a block before a redaction before a flag; of equal ones the first. A rule that was asked about one tool call
 * speaks of what stands in that one alone.
 */
export function rulesOfMasks(fired: readonly FiredRule[], toolCalls: readonly ToolCall[]): RuleOfMask {
  /** By tool call, then by detector and code. */
  const speakers = new Map<number, Map<string, Speaker>>();
  for (const { rule, action, enforced, evidence, toolCall = WHOLE_CALL, unavailable } of fired) {
    if (unavailable) continue;
    const speaker: Speaker = { rule, strength: strengthOf(action) + (enforced ? strengthOf('block') : 0) };
    const own = speakers.get(toolCall) ?? new Map<string, Speaker>();
    speakers.set(toolCall, own);
    for (const { detector, codes } of evidence) {
      for (const code of codes === 'all' ? [ANY] : codes) {
        const key = keyOf(detector, code);
        const known = own.get(key);
        if (known === undefined || known.strength < speaker.strength) own.set(key, speaker);
      }
    }
  }
  const callOf = new Map<number, number>();
  for (const index of speakers.keys())
    for (const segment of toolCalls[index]?.segments ?? []) callOf.set(segment, index);
  return (detector, code, segment) => {
    const places = [speakers.get(WHOLE_CALL), speakers.get(callOf.get(segment) ?? WHOLE_CALL)];
    const found = places.flatMap((place) => [place?.get(keyOf(detector, code)), place?.get(keyOf(detector, ANY))]);
    return strongest(found)?.rule ?? null;
  };
}

const ANY = '';
const keyOf = (detector: string, code: string): string => `${detector}/${code}`;

function strongest(speakers: readonly (Speaker | undefined)[]): Speaker | undefined {
  return speakers.reduce(
    (best, one) => (one !== undefined && one.strength > (best?.strength ?? 0) ? one : best),
    undefined,
  );
}
