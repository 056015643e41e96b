import {
  isWritten,
  namedLeaves,
  namesRead,
  firedSnapshot,
  type FiredSnapshot,
  type StageSnapshot,
} from '../../core/stored/fact-snapshot.js';
import { recordedTruth, recordedTruthOfTwo } from '../../core/decision/answer-key.js';
import { refuses, type DecisionAction } from '../../core/model/actions.js';
import type { Decision } from '../../core/model/decision.js';
import { judgeStage } from '../../core/judge/index.js';
import { parseOperatorName } from '../../core/decision/policy-runtime.js';
import { Unknown, type FactSet, type Stage } from '../../core/model/fact.js';
import { readFact } from '../../core/facts/read-path.js';
import { Withheld } from '../../core/facts/withheld.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { maskedKinds } from '../../core/stored/masked-kinds.js';
import type { RecordedDecision } from '../../core/stored/recorded-decision.js';
import { restoreFacts } from './restore-facts.js';

/** The result of a decision. `unavailable`: refused because a fact was missing (503). */
export type VerdictName = DecisionAction | 'unavailable';

/** The decision of a policy for one stored evaluation, or the facts that are missing to make it. */
export type Recomputed =
  | {
      readonly known: true;
      readonly verdict: VerdictName;
      readonly fired: readonly FiredSnapshot[];
      /** The kinds of findings that are masked, as `detector/CODE`. */
      readonly masks: ReadonlySet<string>;
      readonly leaves: Decision['leaves'];
    }
  | { readonly known: false; readonly missing: readonly string[] };

const MAX_REMEMBERED = 20_000;

/**
 * Evaluates stored facts with a policy, using the judge of live calls. If a condition reads a fact that was not stored, the facts are
 * judged with the condition as true and as false; the decision is known only if both judgements are equal.
 *
 * Many calls are equal in everything that a policy reads, so decisions are cached by the values it reads.
 */
export class Recomputer {
  private readonly remembered = new Map<string, Recomputed>();
  private readonly reads = new Map<Stage, readonly string[]>();

  constructor(private readonly policy: CompiledPolicy) {}

  async recompute(record: RecordedDecision, stage: StageSnapshot): Promise<Recomputed> {
    const facts = restoreFacts(this.policy, record, stage, 'true');
    const open = this.openLeaves(stage.stage, facts);
    const identity = this.identityOf(record, stage, facts, open);
    const known = this.remembered.get(identity);
    if (known !== undefined) return known;
    const made = await this.ask(record, stage, facts, open);
    if (this.remembered.size >= MAX_REMEMBERED) this.remembered.clear();
    this.remembered.set(identity, made);
    return made;
  }

  private async ask(
    record: RecordedDecision,
    stage: StageSnapshot,
    facts: FactSet,
    open: readonly OpenLeaf[],
  ): Promise<Recomputed> {
    const strongest = await this.judge(record, stage, facts);
    if (open.length === 0) return knownAs(strongest, facts);
    const missing = [...new Set(open.map(({ fact }) => fact))].sort();
    // A match of an exception or of an allow rule weakens the decision, so the two judgements do not bound the decision.
    if (open.some(({ softens }) => softens)) return { known: false, missing };
    const weakest = await this.judge(record, stage, restoreFacts(this.policy, record, stage, 'false'));
    const same = JSON.stringify(firedSnapshot(weakest)) === JSON.stringify(firedSnapshot(strongest));
    return same && verdictOf(weakest) === verdictOf(strongest) ? knownAs(strongest, facts) : { known: false, missing };
  }

  private judge(record: RecordedDecision, stage: StageSnapshot, facts: FactSet): Promise<Decision> {
    return judgeStage(this.policy, {
      stage: stage.stage,
      nowMs: record.clockMs,
      facts,
      clientMonitor: record.clientMonitor,
      ...(stage.contents === undefined ? {} : { contents: stage.contents }),
    });
  }

  /**
   * Conditions that were not evaluated in the recorded call and cannot be evaluated now, and redaction targets whose detector differs.
   */
  private openLeaves(stage: Stage, facts: FactSet): OpenLeaf[] {
    const open = namedLeaves(this.policy, stage).flatMap((leaf): OpenLeaf[] => {
      const withheld = namesRead(leaf).flatMap((name) => {
        const fact = readFact(facts, name);
        return fact instanceof Withheld ? [{ name, fact }] : [];
      });
      const { absence, op, compared } = parseOperatorName(leaf.operator);
      const isKnown = withheld.every(({ name, fact }) => {
        const said =
          compared === undefined
            ? recordedTruth(fact, absence, op, leaf.value)
            : recordedTruthOfTwo(fact, compared, absence, op);
        return isWritten(name) && said !== undefined;
      });
      if (isKnown) return [];
      return [{ fact: withheld[0]!.name, softens: leaf.rule === undefined || leaf.rule.action === 'allow' }];
    });
    for (const rule of this.policy.rules) {
      if (rule.stage !== stage || rule.redact === undefined) continue;
      for (const { detector } of rule.redact.targets) {
        if (facts[detector] instanceof Withheld) open.push({ fact: `${detector}.types`, softens: true });
      }
    }
    return open;
  }

  /** The cache key: equal for two evaluations exactly if the policy reads the same values in both. */
  private identityOf(
    record: RecordedDecision,
    stage: StageSnapshot,
    facts: FactSet,
    open: readonly OpenLeaf[],
  ): string {
    const values = this.readsAt(stage.stage).map((name) => {
      const value = readFact(facts, name);
      return value instanceof Withheld ? 'withheld' : value instanceof Unknown ? [value.reason, value.source] : value;
    });
    const expired = this.policy.exceptions.map(({ expiresAtMs }) => Number(record.clockMs < expiresAtMs)).join('');
    const withheld = values.includes('withheld') ? stage.answers : undefined;
    const asked = [stage.stage, record.clientMonitor, expired, stage.contents];
    return JSON.stringify([asked, values, withheld, open.map(({ fact }) => fact)]);
  }

  private readsAt(stage: Stage): readonly string[] {
    const known = this.reads.get(stage);
    if (known !== undefined) return known;
    const targets = this.policy.rules.flatMap((rule) =>
      rule.stage === stage ? (rule.redact?.targets ?? []).map(({ detector }) => `${detector}.types`) : [],
    );
    const made = [...new Set([...namedLeaves(this.policy, stage).flatMap(namesRead), ...targets, 'key.id'])];
    // Except for conditions on it, the API key only matters for a rule with a rollout percentage.
    const reads = this.policy.rules.some(({ rolloutPercent }) => rolloutPercent !== undefined)
      ? made
      : made.filter(
          (name) => name !== 'key.id' || namedLeaves(this.policy, stage).some((leaf) => namesRead(leaf).includes(name)),
        );
    this.reads.set(stage, reads);
    return reads;
  }
}

interface OpenLeaf {
  readonly fact: string;
  readonly softens: boolean;
}

function knownAs(decision: Decision, facts: FactSet): Recomputed {
  return {
    known: true,
    verdict: verdictOf(decision),
    fired: firedSnapshot(decision),
    masks: new Set(maskedKinds(decision, facts)),
    leaves: decision.leaves,
  };
}

function verdictOf({ action, unavailable }: Pick<Decision, 'action' | 'unavailable'>): VerdictName {
  return unavailable && refuses(action) ? 'unavailable' : action;
}

/** The verdict that was recorded. */
export function recordedVerdict(stage: StageSnapshot): VerdictName {
  return verdictOf({ action: stage.action, unavailable: stage.unavailable === true });
}
