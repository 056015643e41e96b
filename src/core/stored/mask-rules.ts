/** The rule responsible for each mask. */
import { strengthOf } from '../model/actions.js';
import type { ToolCall } from '../model/call.js';
import type { FiredRule } from '../model/decision.js';

/** Returns the rule shown with a finding; null if no rule has it as evidence. */
export type RuleOfMask = (detector: string, code: string, segment: number) => string | null;

/** The key of rules that were evaluated for the whole call. */
const WHOLE_CALL = -1;

interface Speaker {
  readonly rule: string;
  readonly strength: number;
}

/**
 * Assigns to each finding the strongest rule that has it as evidence: enforced rules before rules that only report, then block
 * before redact before flag; of equally strong rules the first. A rule evaluated for one tool call applies only to findings in
 * that tool call.
 */
export function rulesOfMasks(fired: readonly FiredRule[], toolCalls: readonly ToolCall[]): RuleOfMask {
  /** The strongest rules by tool call, then by detector and code. */
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
    for (const places of [toolCalls[index]?.segments, toolCalls[index]?.repeats])
      for (const segment of places ?? []) callOf.set(segment, index);
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
