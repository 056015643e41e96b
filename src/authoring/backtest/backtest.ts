import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import type { StageSnapshot } from '../../core/stored/fact-snapshot.js';
import { Recomputer, recordedVerdict, type Recomputed, type VerdictName } from './recompute.js';
import { readRecordedDecision, type RecordedDecision } from '../../core/stored/recorded-decision.js';
import { maskingOf, type MaskedStage } from './unmasked.js';
import { wilson, type Interval } from './wilson.js';

/** A recorded decision for which the policy leads to another verdict, or in which other rules fire. */
export interface Flip {
  readonly event: string;
  readonly type: string;
  readonly app: string;
  readonly key: string;
  readonly receivedAt: string;
  readonly from: VerdictName;
  readonly to: VerdictName;
  /**
   * Rules that fire in only one of the two evaluations, or fire differently. If fewer values are masked, also the rules that masked
   * them.
   */
  readonly rules: readonly string[];
}

export interface Share extends Interval {
  readonly count: number;
  /** The fraction of all decisions that could be recomputed, 0 to 1. */
  readonly share: number;
}

export interface BacktestReport {
  /** Judged events of the policy's environment. */
  readonly decisions: number;
  readonly unchanged: number;
  /** One entry per pair of verdicts, most frequent first. From `redact` to `redact`: fewer values are masked. */
  readonly flips: readonly ({ readonly from: VerdictName; readonly to: VerdictName } & Share)[];
  /** Number of decisions with the same verdict, but based on other rules. */
  readonly otherRules: number;
  /** Decisions that would newly be refused. */
  readonly newBlocks: Share;
  /** Decisions that would become less strict: no longer refused, or no longer masked. */
  readonly newAllows: Share;
  readonly cannotTell: {
    readonly count: number;
    /** The reasons, most frequent first: a fact that was not stored, or an older record format. */
    readonly because: readonly { readonly fact: string; readonly count: number }[];
  };
  readonly byRule: readonly { readonly name: string; readonly count: number }[];
  readonly byApp: readonly { readonly name: string; readonly count: number }[];
  readonly byKey: readonly { readonly name: string; readonly count: number }[];
  /** A sample of the flips, chosen so that it shows different verdicts and rules. */
  readonly examples: readonly Flip[];
  /** Records of decisions by this same policy; each has to be reproduced. */
  readonly own: { readonly decisions: number; readonly notReproduced: number; readonly cannotTell: number };
  /** Lines that are not Weir events. */
  readonly broken: number;
  /** Events without a judgement, or of another environment. */
  readonly skipped: number;
}

/** The strictness of a verdict; `unavailable` refuses like `block`. */
const STRENGTH: Readonly<Record<VerdictName, number>> = { allow: 0, redact: 1, unavailable: 2, block: 2 };
const MAX_EXAMPLES = 20;
const EXAMPLES_PER_KIND = 3;
const OLD_FORMAT = 'recorded by an earlier version';
/** The reason if a record does not contain which values were masked. */
const MASKED_VALUES = 'masked values';

/**
 * Judges recorded decisions again with another policy, one at a time, and counts the differences. Memory use does not depend on the
 * number of records: only counts and a few examples are kept.
 */
export class Backtest {
  private readonly recomputer: Recomputer;
  private readonly current: ReadonlyMap<string, string>;
  private readonly kinds = new Map<string, { from: VerdictName; to: VerdictName; count: number }>();
  private readonly because = new Counter();
  private readonly rules = new Counter();
  private readonly apps = new Counter();
  private readonly keys = new Counter();
  private readonly examples: Flip[] = [];
  private readonly examplesOf = new Counter();
  private readonly total = { decisions: 0, unchanged: 0, otherRules: 0, blocks: 0, allows: 0, cannotTell: 0 };
  private readonly own = { decisions: 0, notReproduced: 0, cannotTell: 0 };
  private broken = 0;
  private skipped = 0;

  /** @param digest SHA-256 of the policy's canonical form, in hex; identifies the policy's own records */
  constructor(
    private readonly policy: CompiledPolicy,
    private readonly digest: string,
  ) {
    this.recomputer = new Recomputer(policy);
    this.current = currentIds(policy);
  }

  /** Adds one event in the format of the API and of exports. */
  async add(event: unknown): Promise<void> {
    const read = readRecordedDecision(event);
    switch (read.kind) {
      case 'broken':
        this.broken++;
        return;
      case 'old':
        this.unknown([OLD_FORMAT], false);
        return;
      case 'other':
        this.skipped++;
        return;
      case 'decision':
        if (read.decision.environment === this.policy.environment) await this.judge(read.decision, event);
        else this.skipped++;
    }
  }

  private async judge(record: RecordedDecision, event: unknown): Promise<void> {
    const isOwn = record.policyDigest === this.digest;
    const rules = new Set<string>();
    const missing: string[] = [];
    const masked: MaskedStage[] = [];
    let from: VerdictName = 'allow';
    let to: VerdictName = 'allow';
    for (const stage of record.stages) {
      const again = await this.recomputer.recompute(record, stage);
      if (!again.known) {
        missing.push(...again.missing);
        continue;
      }
      from = stronger(from, recordedVerdict(stage));
      to = stronger(to, again.verdict);
      for (const rule of changedRules(stage, again, this.current)) rules.add(rule);
      masked.push({ snapshot: stage, masks: again.masks });
    }
    if (isOwn) this.own.decisions++;
    // The same policy masks the same values.
    const masking = isOwn || from !== 'redact' || to !== 'redact' ? 'all' : maskingOf(event, masked);
    if (masking === 'cannot tell') missing.push(MASKED_VALUES);
    if (masking === 'not all') for (const rule of redactRules(record, this.current)) rules.add(rule);
    if (missing.length > 0) return this.unknown(missing, isOwn);
    if (isOwn && (from !== to || rules.size > 0)) this.own.notReproduced++;
    const { id, type, app, key, receivedAt } = record;
    this.count({ event: id, type, app, key, receivedAt, from, to, rules: [...rules].sort() }, masking === 'not all');
  }

  private unknown(facts: readonly string[], isOwn: boolean): void {
    this.total.decisions++;
    this.total.cannotTell++;
    if (isOwn) this.own.cannotTell++;
    for (const fact of new Set(facts)) this.because.add(fact);
  }

  /** @param isUnmasked whether values that were masked are not masked any more */
  private count(flip: Flip, isUnmasked: boolean): void {
    const { total } = this;
    total.decisions++;
    if (flip.from === flip.to && flip.rules.length === 0) {
      total.unchanged++;
      return;
    }
    for (const rule of flip.rules) this.rules.add(rule);
    this.apps.add(flip.app);
    this.keys.add(flip.key);
    const kind = `${flip.from} → ${flip.to}`;
    if (flip.from === flip.to && !isUnmasked) total.otherRules++;
    else {
      const known = this.kinds.get(kind) ?? { from: flip.from, to: flip.to, count: 0 };
      known.count++;
      this.kinds.set(kind, known);
      const step = STRENGTH[flip.to] - STRENGTH[flip.from];
      if (step > 0 && STRENGTH[flip.to] === STRENGTH.block) total.blocks++;
      if (step < 0 || isUnmasked) total.allows++;
    }
    if (
      this.examples.length < MAX_EXAMPLES &&
      this.examplesOf.add(`${kind} ${flip.rules.join()}`) <= EXAMPLES_PER_KIND
    ) {
      this.examples.push(flip);
    }
  }

  report(): BacktestReport {
    const { total } = this;
    const decided = total.decisions - total.cannotTell;
    const share = (count: number): Share => ({
      count,
      share: decided === 0 ? 0 : count / decided,
      ...wilson(count, decided),
    });
    return {
      decisions: total.decisions,
      unchanged: total.unchanged,
      flips: [...this.kinds.values()]
        .sort((a, b) => b.count - a.count)
        .map(({ from, to, count }) => ({ from, to, ...share(count) })),
      otherRules: total.otherRules,
      newBlocks: share(total.blocks),
      newAllows: share(total.allows),
      cannotTell: {
        count: total.cannotTell,
        because: this.because.top().map(({ name, count }) => ({ fact: name, count })),
      },
      byRule: this.rules.top(),
      byApp: this.apps.top(),
      byKey: this.keys.top(),
      examples: this.examples,
      own: { ...this.own },
      broken: this.broken,
      skipped: this.skipped,
    };
  }
}

function stronger(left: VerdictName, right: VerdictName): VerdictName {
  if (STRENGTH[left] !== STRENGTH[right]) return STRENGTH[left] > STRENGTH[right] ? left : right;
  // A block by a rule outranks an outage, as when a live call is judged at several stages.
  return left === 'block' || right === 'block' ? 'block' : left;
}

/** The current ids of renamed rules, by their former ids. */
export function currentIds({ rules }: Pick<CompiledPolicy, 'rules'>): ReadonlyMap<string, string> {
  return new Map(rules.flatMap(({ id, formerly }) => formerly.map((former) => [former, id] as const)));
}

/**
 * The rules that fire in only one of the two evaluations, or fire differently. A renamed rule is the same rule.
 *
 * @param current the current ids of renamed rules, by their former ids
 */
export function changedRules(
  stage: StageSnapshot,
  again: Extract<Recomputed, { known: true }>,
  current: ReadonlyMap<string, string>,
): string[] {
  const before = new Map(stage.fired.map((fired) => [current.get(fired.rule) ?? fired.rule, identity(fired)]));
  const after = new Map(again.fired.map((fired) => [fired.rule, identity(fired)]));
  return [...new Set([...before.keys(), ...after.keys()])].filter((rule) => before.get(rule) !== after.get(rule));
}

/** The redact rules that were enforced in a recorded call. */
function redactRules({ stages }: RecordedDecision, current: ReadonlyMap<string, string>): string[] {
  return stages.flatMap(({ fired }) =>
    fired.flatMap(({ rule, action, enforced }) => (enforced && action === 'redact' ? [current.get(rule) ?? rule] : [])),
  );
}

function identity({ action, enforced, softened_by, exception, unavailable }: StageSnapshot['fired'][number]): string {
  return [action, enforced, softened_by, exception, unavailable].join(' ');
}

const MAX_NAMES = 10_000;

/** Counts names; names beyond the first `MAX_NAMES` are counted together. */
class Counter {
  private readonly counts = new Map<string, number>();

  add(name: string): number {
    const key = this.counts.has(name) || this.counts.size < MAX_NAMES ? name : '(others)';
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    return count;
  }

  top(): { name: string; count: number }[] {
    return [...this.counts]
      .map(([name, count]) => ({ name, count }))
      .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  }
}
