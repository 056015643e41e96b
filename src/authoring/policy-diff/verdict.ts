import { masksTexts, strengthOf } from '../../core/model/actions.js';
import type { BlockReason, Decision, DecisionAction, FiredRule, RedactSpec } from '../../core/model/decision.js';
import type { FactSet } from '../../core/model/fact.js';
import { readFact } from '../../core/facts/read-path.js';

/** The parts of one decision that a caller, a reader of the log or a test can see. */
export interface Verdict {
  readonly action: DecisionAction;
  readonly reason?: BlockReason;
  readonly unavailable: boolean;
  /** Rules that fired and are enforced, as `rule: action`, sorted. */
  readonly enforced: readonly string[];
  /** Rules that fired without being enforced, as `rule: action`, sorted. */
  readonly reported: readonly string[];
  /** Masked codes, as `detector/CODE as <text>`, sorted. */
  readonly masked: readonly string[];
  readonly exceptions: readonly string[];
}

/** `weaker`: the next policy refuses, masks or flags less; `stricter`: more; `other`: another visible difference. */
export type Direction = 'weaker' | 'stricter' | 'other';

/** @param renamed current ids by former ids, so that a renamed rule counts as the same rule */
export function verdictOf(decision: Decision, facts: FactSet, renamed: ReadonlyMap<string, string>): Verdict {
  const named = (fired: readonly FiredRule[]): string[] =>
    fired.map(({ rule, action }) => `${renamed.get(rule) ?? rule}: ${action}`).sort();
  return {
    action: decision.action,
    ...(decision.reason !== undefined && { reason: decision.reason }),
    unavailable: decision.unavailable,
    enforced: named(decision.fired.filter(({ enforced }) => enforced)),
    reported: named(decision.fired.filter(({ enforced }) => !enforced)),
    masked: masksTexts(decision.action) ? maskedBy(decision, facts) : [],
    exceptions: decision.exceptions,
  };
}

function maskedBy({ redact }: Decision, facts: FactSet): string[] {
  const masked = redact.flatMap(({ targets, label, ...spec }) =>
    targets
      .filter(({ detector, code }) => hasFound(facts, detector, code))
      .map(
        ({ detector, code }) =>
          `${detector}/${code} as ${replacementIn(spec)}${label === undefined ? '' : ` (${label})`}`,
      ),
  );
  return [...new Set(masked)].sort();
}

/** What takes the place of a masked value, in words: with stable tokens, the replacement text is not used. */
export function replacementIn({ tokens, with: text }: Pick<RedactSpec, 'tokens' | 'with'>): string {
  return tokens === undefined ? text : `${tokens} tokens`;
}

function hasFound(facts: FactSet, detector: string, code: string): boolean {
  const types = readFact(facts, `${detector}.types`);
  return Array.isArray(types) && types.includes(code);
}

/** Determines the direction of a change; undefined if there is no visible difference. */
export function directionOf(before: Verdict, after: Verdict): Direction | undefined {
  const [from, to] = [strength(before), strength(after)];
  if (to !== from) return to < from ? 'weaker' : 'stricter';
  const lost = values(before).some((value) => !values(after).includes(value));
  const gained = values(after).some((value) => !values(before).includes(value));
  if (lost !== gained) return lost ? 'weaker' : 'stricter';
  return JSON.stringify(before) === JSON.stringify(after) ? undefined : 'other';
}

/** The masked codes, without their replacements. */
function values({ masked }: Verdict): string[] {
  return masked.map((value) => value.split(' as ', 1)[0]!);
}

function strength({ action, enforced }: Verdict): number {
  return action === 'allow' && enforced.length > 0 ? strengthOf('flag') : strengthOf(action);
}
