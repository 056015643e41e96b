import type { Steps } from '../steps/steps.js';
import type { TextEdit } from '../text/edit.js';
import { mergingSpans } from '../redaction/merge-spans.js';
import type { Numbering } from '../redaction/numbering.js';
import { planningRedaction } from '../redaction/plan-redaction.js';
import type { KeyedHash } from '../redaction/stable-token.js';
import type { GuardedChannel } from './guarded-channel.js';
import type { FactSet } from '../model/fact.js';
import type { LocatedFinding } from '../model/finding.js';
import { engineLeaves, type EngineLeaf } from '../policy/engine-rules.js';
import type { Decision, RedactSpec } from '../model/decision.js';
import type { GrowingAnswer } from '../judge/index.js';
import type { DecodedCall } from '../model/call.js';
import type { CompiledPolicy, CompiledRule } from '../model/compiled-policy.js';
import { memoizeByObject } from '../model/memoize.js';
import { mayBecomeTrue, type AnswerPlan } from './answer-plan.js';

/** Detectors by their keys, with the codes that can still affect a rule. */
type Targets = ReadonlyMap<string, ReadonlySet<string> | 'all'>;

/** The state of a rule while an answer arrives. */
interface WatchedRule {
  readonly id: string;
  readonly targets: CompiledRule['evidence'];
  /** Whether the rule's condition could hold if all possible findings occurred. */
  readonly couldFire: (decision: Decision) => boolean;
}

interface WatchedRules {
  readonly list: readonly WatchedRule[];
  /** The findings that can still affect one of the rules in `list`, as long as none of them has fired. */
  readonly targets: Targets;
}

const rulesOf = memoizeByObject((policy: CompiledPolicy) =>
  memoizeByObject((plan: AnswerPlan): WatchedRules => {
    const conditions = new Map(policy.stages.post.asWritten.map(({ name, conditions }) => [name ?? '', conditions]));
    const list = plan.rules.map((rule) => ({
      id: rule.id,
      targets: targetsOf(rule),
      couldFire: possibility(conditions.get(rule.id)),
    }));
    return { list, targets: joinedTargets(list) };
  }),
);

const NO_TARGETS: Targets = new Map();

/** Tracks which findings can still affect a rule of an answer, which determines how much of the answer waits. */
export class RuleWatch {
  /** The open rules and the masks after the last evaluation; undefined before the first one. */
  private verdict: string | undefined;
  private openTargets = NO_TARGETS;
  private readonly rules: WatchedRules;

  constructor(
    policy: CompiledPolicy,
    plan: AnswerPlan,
    private readonly answer: GrowingAnswer,
  ) {
    this.rules = rulesOf(policy)(plan);
  }

  /**
   * Evaluates the findings so far.
   * @returns whether more of any text may be decided now; otherwise, the masks and the rules that can still fire are the same as before
   */
  async update(call: DecodedCall, found: FactSet): Promise<boolean> {
    const decision = await this.answer.judgeTexts(call, found);
    const open = this.stillOpen(decision);
    const verdict = JSON.stringify([open.map(({ id }) => id), decision.redact]);
    if (verdict === this.verdict) return false;
    this.verdict = verdict;
    this.openTargets = open.length === this.rules.list.length ? this.rules.targets : joinedTargets(open);
    return true;
  }

  /** The masks of the rules that fired. */
  get redact(): readonly RedactSpec[] {
    return this.answer.redact;
  }

  /** Whether such a finding can still affect, or be masked by, a rule that has not fired. */
  isOpen(detector: string, code: string): boolean {
    const codes = this.openTargets.get(detector);
    return codes === 'all' || codes?.has(code) === true;
  }

  /** Whether no further finding can change the outcome: each rule has fired or never will. */
  get isFinal(): boolean {
    return this.verdict !== undefined && this.openTargets.size === 0;
  }

  /** Called when the answer is complete: no further rule can fire. */
  close(): void {
    this.openTargets = NO_TARGETS;
  }

  private stillOpen(decision: Decision): readonly WatchedRule[] {
    const fired = new Set(decision.fired.map(({ rule }) => rule));
    return this.rules.list.filter((rule) => !fired.has(rule.id) && rule.couldFire(decision));
  }
}

function targetsOf({ evidence, redact }: CompiledRule): CompiledRule['evidence'] {
  return [...evidence, ...(redact?.targets ?? []).map(({ detector, code }) => ({ detector, codes: [code] }))];
}

function joinedTargets(rules: readonly WatchedRule[]): Targets {
  const joined = new Map<string, Set<string> | 'all'>();
  for (const { detector, codes } of rules.flatMap(({ targets }) => targets)) {
    const known = joined.get(detector);
    if (known === 'all') continue;
    if (codes === 'all') joined.set(detector, 'all');
    else if (known === undefined) joined.set(detector, new Set(codes));
    else for (const code of codes) known.add(code);
  }
  return joined;
}

/** Whether a condition could hold if all possible findings occurred. */
function possibility(condition: object | undefined): WatchedRule['couldFire'] {
  if (condition === undefined) return () => false;
  if ('any' in condition && Array.isArray(condition.any)) {
    const items = condition.any.map(possibility);
    return (decision) => items.some((item) => item(decision));
  }
  if ('all' in condition && Array.isArray(condition.all)) {
    const items = condition.all.map(possibility);
    return (decision) => items.every((item) => item(decision));
  }
  const [leaf] = engineLeaves(condition) as [EngineLeaf];
  return mayBecomeTrue(leaf) ? () => true : ({ leaves }) => leaves[leaf.name] !== false;
}

/** Whether one of the redact specs masks the code of the finding. */
export function isMasked({ detector, code }: LocatedFinding, specs: readonly RedactSpec[]): boolean {
  return specs.some(({ targets }) => targets.some((target) => target.detector === detector && target.code === code));
}

/**
 * How far a text is decided, and the replacements between its last limit and that position; sorted, without overlaps.
 */
export interface Masks {
  readonly limit: number;
  readonly edits: readonly TextEdit[];
  /** Whether signed content would have to be masked. */
  readonly isRefused?: true;
}

/** Decides by the rules how to mask the known part of a text. A span is either masked as a whole or waits. */
export function* decidingMasks(
  channel: GuardedChannel,
  watch: RuleWatch,
  numbering: Numbering,
  hash: KeyedHash | undefined,
  sparesSigned = false,
): Steps<Masks> {
  let limit = channel.settledUpTo();
  if (channel.findings.length === 0) return { limit: channel.firstRestoredAcross(limit), edits: [] };
  const open = channel.findings.find(({ detector, code }) => watch.isOpen(detector, code));
  if (open !== undefined && open.start < limit) limit = open.start;
  // While nothing more is decided, very many findings may wait, and they are not read again with each piece.
  if (!channel.channel.isSigned && limit <= channel.limit) return { limit, edits: [] };
  // If the policy spares signed content, it is forwarded unchanged, and the verdict on the whole answer reports its findings.
  const specs = channel.channel.isSigned && sparesSigned ? [] : watch.redact;
  const first = channel.findings.find((finding) => isMasked(finding, specs));
  if (first === undefined) return { limit: channel.firstRestoredAcross(limit), edits: [] };
  const { isSigned, mayBeSigned } = channel.channel;
  if (mayBeSigned && !channel.closed) limit = Math.min(limit, first.start);
  if (!isSigned && limit <= channel.limit) return { limit, edits: [] };
  const toMask = channel.findings.filter((finding) => isMasked(finding, specs));
  const { segment, from } = channel.window;
  const masked = toMask.map((finding) => ({
    ...finding,
    segment: 0,
    start: finding.start - from,
    end: finding.end - from,
  }));
  for (const { start, end } of yield* mergingSpans(masked, [segment])) {
    if (start + from < limit && end + from > limit) limit = start + from;
  }
  if (isSigned) return { limit: channel.limit, edits: [], isRefused: true };
  limit = channel.firstRestoredAcross(limit);
  const findings = masked.filter(({ start }) => start + from < limit);
  if (findings.length === 0) return { limit, edits: [] };
  const { edits } = yield* planningRedaction({
    specs,
    findings,
    segments: [segment],
    numbering,
    ...(hash && { hash }),
  });
  return {
    limit,
    edits: edits.map(({ start, end, replacement }) => ({ start: start + from, end: end + from, replacement })),
  };
}
