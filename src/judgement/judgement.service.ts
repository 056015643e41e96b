import { Inject, Injectable, Optional } from '@nestjs/common';
import {
  buildFacts,
  evaluate,
  GuardedStream,
  maskAll,
  MAX_READ_TOOL_CALLS,
  outcomesForToolCall,
  planRedaction,
  rememberOnce,
  runScan,
  withoutRepeats,
  type DecodedCall,
  type Decision,
  type DetectorOutcome,
  type Edit,
  type FactInput,
  type FiredRule,
  type KeyedHash,
  type LocatedFinding,
  type RedactSpec,
  type ScanLimits,
  type ScanMemory,
  type Segment,
  type Stage,
  type ToolCall,
  type Violation,
  withoutReading,
} from '../core/index.js';
import type { ActivePolicy } from '../policy-store/index.js';
import { withoutBlockedHistory } from './blocked-history.js';
import type { GuardAnswerInput, JudgeInput, Judgement } from './judgement.js';
import { mergeDecisions, type MergedDecision } from './merge-decisions.js';
import { RemoteScanner } from './remote-scan.js';
import type { ScanCache } from './scan-cache.js';
import type { ScanPool } from './scan-pool.js';
import { snapshotOf, type JudgedStage } from './snapshot.js';
import { violationsOf } from './violations.js';

/** Time as the judge sees it. Injected, so that expiry and deadlines can be tested. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. */
  nowMs(): number;
  /** Monotonic milliseconds. */
  monotonicMs(): number;
  /** Milliseconds of processor time of this thread: what detectors may take is counted in them. Default: `monotonicMs`. */
  workMs?(): number;
}
export const CLOCK = Symbol('clock');

/** Gives the key that an account's tokens are made with. */
export interface TokenHashes {
  of(accountId: string): Promise<KeyedHash>;
}
export const TOKEN_HASHES = Symbol('token hashes');
/** A `ScanCache`, or undefined where nothing is to be remembered. */
export const SCAN_CACHE = Symbol('scan cache');
/** A `ScanPool`, or undefined where all texts are scanned on this thread. */
export const SCAN_POOL = Symbol('scan pool');

/** A text that was to be masked stands where nothing can be changed: then the call does not go on. */
const REFUSED_REDACTION = {
  action: 'block',
  reason: 'content_policy_violation',
  edits: [],
  redactions: [],
  restorable: new Map<string, string>(),
} as const satisfies Partial<Judgement>;

/** Replaces a whole text that no detector could vouch for. */
export const UNSCANNED = '[UNSCANNED]';

/**
 * Judges calls: scans every text, builds the facts, evaluates the stages, plans the redaction. The one path for REST,
 * SDKs and the proxy. It stores nothing and sends nothing.
 */
@Injectable()
export class JudgementService {
  /**
   * @param remote without it remote detectors count as not run
   * @param tokens without it rules with stable tokens cannot be applied
   */
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Optional() private readonly remote?: RemoteScanner,
    @Optional() @Inject(TOKEN_HASHES) private readonly tokens?: TokenHashes,
    @Optional() @Inject(SCAN_CACHE) private readonly cache?: ScanCache,
    @Optional() @Inject(SCAN_POOL) private readonly pool?: ScanPool,
  ) {}

  /**
   * Never rejects because of a detector or a rule: what could not be had is part of the judgement.
   * @throws AccessUnavailable when the key of stable tokens cannot be read: nothing is passed on without it
   */
  async judge(input: JudgeInput): Promise<Judgement> {
    const judgement = await this.judgeOnce(input);
    if (judgement.action !== 'block') return judgement;
    return (await withoutBlockedHistory(input, judgement, (left) => this.judgeOnce(left))) ?? judgement;
  }

  /** What stable tokens of an account are made with. @throws AccessUnavailable when it cannot be read */
  async tokenHash(accountId: string): Promise<KeyedHash> {
    if (this.tokens === undefined) throw new Error('stable tokens need the key of the account');
    return this.tokens.of(accountId);
  }

  /**
   * Guards a streamed answer while it is on its way.
   * @param plan of mode `guard`, or `pass` when there are only tokens to be put back
   * @throws AccessUnavailable when the key of stable tokens cannot be read
   */
  async guard(input: GuardAnswerInput): Promise<GuardedStream> {
    const { policy, plan, request } = input;
    const { policy: compiled, detectors, structures } = policy;
    const redacting = compiled.rules.flatMap(({ stage, redact }) => (stage === 'pre' || !redact ? [] : [redact]));
    const hash = await this.hashFor(redacting, input.accountId);
    const { repair } = request.judgement;
    return new GuardedStream({
      dialect: input.dialect,
      policy: compiled,
      plan,
      detectors,
      facts: {
        context: input.context,
        structures,
        budgets: input.budgets ?? compiled.budgets,
        request: repair?.call ?? request.call,
      },
      requestOutcomes: repair?.outcomes ?? request.judgement.outcomes,
      nowMs: this.clock.nowMs(),
      tokens: request.judgement.restorable,
      ...(hash === undefined ? {} : { hash }),
      scan: (segments) => runScan(detectors, segments, this.limits(policy, compiled.deadlineMs.tool, partyOf(input))),
    });
  }

  private async judgeOnce(input: JudgeInput): Promise<Judgement> {
    const startedMs = this.clock.monotonicMs();
    const { policy, call, kind } = input;
    const nowMs = this.clock.nowMs();
    const stage: Stage = kind === 'request' ? 'pre' : kind === 'answer' ? 'post' : 'tool';
    const memory = this.cache?.memory(policy.digest, input.context.app.id);
    const deadlineMs = policy.policy.deadlineMs[stage];
    const limits = { ...this.limits(policy, deadlineMs, partyOf(input), memory), neighbours: kind === 'request' };
    const outcomes = withoutRepeats(await runScan(policy.detectors, call.segments, limits), call.segments);
    const monitorHonoured = input.monitorRequested && policy.policy.clientMonitorMode === 'honor';
    const stages = await this.evaluateStages(input, outcomes, nowMs, monitorHonoured);
    const findings = outcomes.flatMap((outcome) => (outcome.status === 'scanned' ? outcome.findings : []));
    const masked = input.enforceable ? maskedBy(stages, findings, call) : [];
    const spared = sparedOf(policy.policy, masked, call);
    const merged = sparing(
      refusingSigned(
        mergeDecisions(stages.map((judged) => judged.decision)),
        masked.filter((finding) => call.segments[finding.segment]!.signed === true && !spared.has(finding)),
      ),
      spared,
      masked,
    );
    const fired = input.enforceable ? merged.fired : merged.fired.map((rule) => ({ ...rule, enforced: false }));
    const redaction =
      input.enforceable && merged.action === 'redact'
        ? planFor(stages, masked, spared, input, await this.hashFor(merged.redact, input.accountId))
        : { edits: [], redactions: [], restorable: new Map<string, string>() };
    const judgement: Judgement = {
      action: input.enforceable ? merged.action : 'allow',
      ...(input.enforceable && merged.reason !== undefined ? { reason: merged.reason } : {}),
      unavailable: input.enforceable && merged.unavailable,
      missing: merged.missing,
      fired,
      violations: violationsOf(fired, call, findings, spared),
      edits: redaction.edits,
      redactions: redaction.redactions,
      restorable: redaction.restorable,
      outcomes,
      findings,
      snapshot: snapshotOf({
        policy: policy.policy,
        nowMs,
        clientMonitor: monitorHonoured,
        stages,
        call,
        outcomes,
        hidesModel: input.hidesModel === true,
      }),
      monitorIgnored: input.monitorRequested && !monitorHonoured,
      tookMs: this.clock.monotonicMs() - startedMs,
    };
    const isFixed = redaction.edits.some(({ segment }) => call.segments[segment]?.fixed === true);
    return isFixed
      ? { ...judgement, ...REFUSED_REDACTION, violations: judgement.violations.map(explained(call)) }
      : judgement;
  }

  /**
   * What has to be masked before a judged call may be stored: every finding of every detector, whatever the rules did
   * about it. When a detector failed, nobody can vouch for the texts and all of them are withheld.
   */
  maskJudged(policy: ActivePolicy, segments: readonly Segment[], judgement: Judgement): Edit[] {
    return policy.policy.content === 'full' ? [] : masksOf(segments, judgement.outcomes);
  }

  /**
   * The same for texts that no rule judges: metadata, error messages, ids.
   * @param anyway whatever the policy stores: for what stands in places of its own, such as log lines
   */
  async maskTexts(policy: ActivePolicy, segments: readonly Segment[], anyway = false): Promise<Edit[]> {
    if ((policy.policy.content === 'full' && !anyway) || segments.length === 0) return [];
    const outcomes = await runScan(
      policy.detectors,
      segments,
      this.limits(policy, policy.policy.deadlineMs.pre, MASKS),
    );
    return masksOf(segments, outcomes);
  }

  private async hashFor(specs: readonly RedactSpec[], accountId: string): Promise<KeyedHash | undefined> {
    return specs.some(({ tokens }) => tokens === 'stable') ? this.tokenHash(accountId) : undefined;
  }

  private limits(policy: ActivePolicy, deadlineMs: number, party: readonly string[], memory?: ScanMemory): ScanLimits {
    const { remote, clock } = this;
    const elsewhere = this.pool?.for({ policy: policy.digest, party }, policy.detectors);
    return {
      ...(elsewhere === undefined ? {} : { elsewhere }),
      ...(memory === undefined ? {} : { memory }),
      ...(remote === undefined
        ? {}
        : { askRemote: (bound, segments, timeoutMs) => remote.scan(bound, segments, timeoutMs) }),
      nowMs: () => clock.workMs?.() ?? clock.monotonicMs(),
      deadlineMs,
      pause: afterOthers,
    };
  }

  private async evaluateStages(
    input: JudgeInput,
    outcomes: readonly DetectorOutcome[],
    nowMs: number,
    clientMonitor: boolean,
  ): Promise<JudgedStage[]> {
    const { policy, call, kind, request, earlierRequest } = input;
    const conversation = request?.judgement.repair?.call ?? request?.call ?? earlierRequest?.call;
    const base: Omit<FactInput, 'outcomes'> = {
      context: input.context,
      call,
      structures: policy.structures,
      budgets: input.budgets ?? policy.policy.budgets,
      once: rememberOnce(),
      ...(conversation === undefined ? {} : { request: conversation }),
    };
    const requestOutcomes =
      request?.judgement.repair?.outcomes ?? request?.judgement.outcomes ?? earlierRequest?.outcomes ?? [];
    const judged: JudgedStage[] = [];
    const run = async (stage: Stage, facts: FactInput, toolCall?: number): Promise<void> => {
      const factSet = buildFacts(facts);
      const contents = call.contents === undefined ? {} : { contents: call.contents };
      const decision = await evaluate(policy.policy, { stage, nowMs, facts: factSet, clientMonitor, ...contents });
      judged.push({
        stage,
        facts: factSet,
        ...contents,
        decision: toolCall === undefined ? decision : forToolCall(decision, toolCall),
        ...(toolCall === undefined ? {} : { toolCall }),
      });
    };
    if (kind !== 'tool_call') await run(kind === 'request' ? 'pre' : 'post', { ...base, outcomes });
    if (kind === 'request') return judged;
    for (const [index, toolCall] of call.newToolCalls.slice(0, MAX_READ_TOOL_CALLS).entries()) {
      const scoped = outcomesForToolCall(toolCall, outcomes, requestOutcomes);
      await run('tool', { ...base, toolCall, outcomes: scoped }, index);
      if (index % CALLS_IN_ONE_PIECE === CALLS_IN_ONE_PIECE - 1) await afterOthers();
    }
    const unread = call.newToolCalls[MAX_READ_TOOL_CALLS];
    if (unread !== undefined) {
      // Together, as one of which nothing is known: what may not be unknown is refused.
      const structures = withoutReading(policy.structures);
      const everything = { ...unread, segments: call.segments.map((_, segment) => segment) };
      const scoped = outcomesForToolCall(everything, outcomes, requestOutcomes);
      await run('tool', { ...base, structures, toolCall: unread, outcomes: scoped }, MAX_READ_TOOL_CALLS);
    }
    return judged;
  }
}

const CALLS_IN_ONE_PIECE = 8;

/** Lets whatever waits go first: a long judgement must not hold up short ones. */
function afterOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Texts that no rule judges take turns of their own. */
const MASKS: readonly string[] = ['masks'];

function partyOf({ accountId, context }: Pick<JudgeInput, 'accountId' | 'context'>): readonly string[] {
  return [accountId, context.key.id];
}

/** A violation that says which of its places could not be masked. */
function explained({ segments }: DecodedCall): (violation: Violation) => Violation {
  const fixed = new Set(segments.filter((segment) => segment.fixed === true).map(({ path }) => path));
  return (violation) => {
    const place = violation.action === 'redact' ? violation.locations?.find((path) => fixed.has(path)) : undefined;
    if (place === undefined) return violation;
    return { ...violation, message: `${violation.message} It cannot be masked where it stands: ${place}` };
  };
}

function forToolCall(decision: Decision, toolCall: number): Decision {
  return { ...decision, fired: decision.fired.map((rule) => ({ ...rule, toolCall })) };
}

/** What a provider has signed goes on as it is or not at all: rules that would mask something in it refuse the call. */
function refusingSigned(merged: MergedDecision, inSigned: readonly LocatedFinding[]): MergedDecision {
  if (merged.action !== 'redact' || inSigned.length === 0) return merged;
  const reason = 'content_policy_violation';
  const fired = merged.fired.map((rule) =>
    rule.action === 'redact' && rule.enforced && inSigned.some((finding) => speaksOf(rule, finding))
      ? { ...rule, action: 'block' as const, reason }
      : rule,
  ) as readonly FiredRule[];
  return { ...merged, action: 'block', reason, fired };
}

/** What rules would mask, but the policy lets go on where it cannot be masked. */
function sparedOf(
  { unmaskable }: ActivePolicy['policy'],
  masked: readonly LocatedFinding[],
  { segments }: DecodedCall,
): ReadonlySet<LocatedFinding> {
  if (unmaskable.documents === 'refuse' && unmaskable.signed === 'refuse') return NOTHING_SPARED;
  return new Set(
    masked.filter(({ segment }) => {
      const { document, signed } = segments[segment]!;
      if (document === true) return unmaskable.documents === 'flag';
      return signed === true && unmaskable.signed === 'flag';
    }),
  );
}

const NOTHING_SPARED: ReadonlySet<LocatedFinding> = new Set();

/** Rules that mask report once more, not enforced, what they spare, and are not said to mask where they spare all of it. */
function sparing(
  merged: MergedDecision,
  spared: ReadonlySet<LocatedFinding>,
  masked: readonly LocatedFinding[],
): MergedDecision {
  if (spared.size === 0 || merged.action === 'block') return merged;
  const fired = merged.fired.flatMap((rule): FiredRule[] => {
    if (rule.action !== 'redact' || !rule.enforced) return [rule];
    const own = masked.filter((finding) => speaksOf(rule, finding));
    const left = own.filter((finding) => !spared.has(finding));
    if (left.length === own.length) return [rule];
    const report: FiredRule = { ...rule, enforced: false, softenedBy: 'policy', isSpared: true };
    return left.length === 0 ? [report] : [rule, report];
  });
  return { ...merged, action: masked.length > spared.size ? merged.action : 'allow', fired };
}

function speaksOf({ evidence }: FiredRule, { detector, code }: LocatedFinding): boolean {
  return evidence.some((one) => one.detector === detector && (one.codes === 'all' || one.codes.includes(code)));
}

/** The findings that rules mask. */
function maskedBy(
  stages: readonly JudgedStage[],
  findings: readonly LocatedFinding[],
  call: DecodedCall,
): readonly LocatedFinding[] {
  const wanted = new Set<LocatedFinding>();
  for (const { decision, toolCall } of stages) {
    const judgedCall: ToolCall | undefined = toolCall === undefined ? undefined : call.newToolCalls[toolCall];
    const scope = judgedCall === undefined ? undefined : new Set(judgedCall.segments);
    for (const finding of findings) {
      const targeted = decision.redact.some((spec) =>
        spec.targets.some(({ detector, code }) => detector === finding.detector && code === finding.code),
      );
      if (targeted && (scope === undefined || scope.has(finding.segment))) wanted.add(finding);
    }
  }
  return [...wanted];
}

/** Rules of stage post mask the whole answer; a rule of stage tool masks the call it was asked about. */
function planFor(
  stages: readonly JudgedStage[],
  masked: readonly LocatedFinding[],
  spared: ReadonlySet<LocatedFinding>,
  { call }: JudgeInput,
  hash: KeyedHash | undefined,
) {
  const specs = stages.flatMap(({ decision }) => decision.redact);
  return planRedaction({
    specs,
    findings: masked.filter((finding) => !spared.has(finding)),
    segments: call.segments,
    ...(hash === undefined ? {} : { hash }),
  });
}

function masksOf(segments: readonly Segment[], outcomes: readonly DetectorOutcome[]): Edit[] {
  if (outcomes.some((outcome) => outcome.status === 'failed')) {
    return segments.map(({ text }, segment) => ({ segment, start: 0, end: text.length, replacement: UNSCANNED }));
  }
  const findings = outcomes.flatMap((outcome) => (outcome.status === 'scanned' ? outcome.findings : []));
  return maskAll(findings, segments);
}
