import type { TextEdit } from '../text/edit.js';
import { mergeSpans } from '../redaction/merge-spans.js';
import type { Numbering } from '../redaction/numbering.js';
import { planRedaction } from '../redaction/plan-redaction.js';
import type { KeyedHash } from '../redaction/stable-token.js';
import type { GuardedChannel } from './guarded-channel.js';
import type { DetectorOutcome, LocatedFinding } from '../model/finding.js';
import { engineLeaves, type EngineLeaf } from '../policy/engine-rules.js';
import type { Decision, RedactSpec } from '../model/decision.js';
import type { GrowingAnswer } from '../judge/index.js';
import type { DecodedCall } from '../model/call.js';
import type { CompiledPolicy, CompiledRule } from '../model/compiled-policy.js';
import { mayBecomeTrue, type AnswerPlan } from './answer-plan.js';

/** What the rules of an answer could still do about what is found in it: so much of it waits. */
export class RuleWatch {
  private isJudged = false;
  private openTargets = new Map<string, Set<string> | 'all'>();
  private readonly conditions: ReadonlyMap<string, object>;

  constructor(
    policy: CompiledPolicy,
    private readonly plan: AnswerPlan,
    private readonly answer: GrowingAnswer,
  ) {
    this.conditions = new Map(policy.stages.post.asWritten.map(({ name, conditions }) => [name ?? '', conditions]));
  }

  /** Judges what has been found so far. */
  async update(call: DecodedCall, outcomes: readonly DetectorOutcome[]): Promise<void> {
    this.openTargets = this.stillOpen(await this.answer.judgeTexts(call, outcomes));
    this.isJudged = true;
  }

  /** How findings are masked, by the rules that fired. */
  get redact(): readonly RedactSpec[] {
    return this.answer.redact;
  }

  /** Whether a rule that has not fired could still do something about such a finding. */
  isOpen(detector: string, code: string): boolean {
    const codes = this.openTargets.get(detector);
    return codes === 'all' || codes?.has(code) === true;
  }

  /** Whether no further finding can change what the rules say: each has fired or never will. */
  get isFinal(): boolean {
    return this.isJudged && this.openTargets.size === 0;
  }

  /** The answer is complete: what has not fired never will. */
  close(): void {
    this.openTargets.clear();
  }

  private stillOpen(decision: Decision): Map<string, Set<string> | 'all'> {
    const open = new Map<string, Set<string> | 'all'>();
    const fired = new Set(decision.fired.map(({ rule }) => rule));
    for (const rule of this.plan.rules) {
      if (fired.has(rule.id) || !couldFire(this.conditions.get(rule.id), decision)) continue;
      for (const { detector, codes } of targetsOf(rule)) {
        const known = open.get(detector);
        if (known === 'all') continue;
        if (codes === 'all') open.set(detector, 'all');
        else if (known === undefined) open.set(detector, new Set(codes));
        else for (const code of codes) known.add(code);
      }
    }
    return open;
  }
}

function targetsOf({ evidence, redact }: CompiledRule): CompiledRule['evidence'] {
  return [...evidence, ...(redact?.targets ?? []).map(({ detector, code }) => ({ detector, codes: [code] }))];
}

/** Whether a condition could hold if everything were found that can be. */
function couldFire(condition: object | undefined, decision: Decision): boolean {
  if (condition === undefined) return false;
  if ('any' in condition && Array.isArray(condition.any))
    return condition.any.some((item: object) => couldFire(item, decision));
  if ('all' in condition && Array.isArray(condition.all))
    return condition.all.every((item: object) => couldFire(item, decision));
  const [leaf] = engineLeaves(condition) as [EngineLeaf];
  return mayBecomeTrue(leaf) || decision.leaves[leaf.name] !== false;
}

/** Whether one of these says how such a finding is masked. */
export function isMasked({ detector, code }: LocatedFinding, specs: readonly RedactSpec[]): boolean {
  return specs.some(({ targets }) => targets.some((target) => target.detector === detector && target.code === code));
}

/** How far a text is decided, and what is replaced between its last limit and there; sorted, without overlaps. */
export interface Masks {
  readonly limit: number;
  readonly edits: readonly TextEdit[];
  /** Something would have to be masked in what is signed. */
  readonly isRefused?: true;
}

/** What rules say of a text as far as it is known. A span is masked as one piece or waits. */
export function masksUpTo(
  channel: GuardedChannel,
  watch: RuleWatch,
  numbering: Numbering,
  hash: KeyedHash | undefined,
  sparesSigned = false,
): Masks {
  let limit = channel.settledUpTo();
  if (channel.findings.length === 0) return { limit: channel.firstRestoredAcross(limit), edits: [] };
  for (const { detector, code, start } of channel.findings) {
    if (start < limit && watch.isOpen(detector, code)) limit = start;
  }
  // What is signed goes on as it is where the policy says so: the verdict on the whole reports it.
  const specs = channel.channel.isSigned && sparesSigned ? [] : watch.redact;
  const { segment, from } = channel.window;
  const masked = channel.findings
    .filter((finding) => isMasked(finding, specs))
    .map((finding) => ({ ...finding, segment: 0, start: finding.start - from, end: finding.end - from }));
  for (const { start, end } of mergeSpans(masked, [segment])) {
    if (start + from < limit && end + from > limit) limit = start + from;
  }
  if (channel.channel.isSigned && masked.length > 0) return { limit: channel.limit, edits: [], isRefused: true };
  if (channel.channel.mayBeSigned && !channel.closed) {
    for (const { start } of masked) limit = Math.min(limit, start + from);
  }
  limit = channel.firstRestoredAcross(limit);
  const findings = masked.filter(({ start }) => start + from < limit);
  if (findings.length === 0) return { limit, edits: [] };
  const { edits } = planRedaction({ specs, findings, segments: [segment], numbering, ...(hash && { hash }) });
  return {
    limit,
    edits: edits.map(({ start, end, replacement }) => ({ start: start + from, end: end + from, replacement })),
  };
}
