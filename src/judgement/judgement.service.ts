import { Inject, Injectable, Optional } from '@nestjs/common';
import {
  buildingFacts,
  evaluate,
  filtered,
  GuardedStream,
  inTurns,
  joinedLists,
  maskingAll,
  masksFixed,
  MAX_READ_TOOL_CALLS,
  planningRedaction,
  refusingSigned,
  rememberOnce,
  runScan,
  scopingOutcomes,
  sparedOf,
  sparing,
  UNMASKABLE_REFUSAL,
  withoutRepeats,
  type DecodedCall,
  type Decision,
  type DetectorOutcome,
  type FactInput,
  type KeyedHash,
  type LocatedFinding,
  type Mask,
  type RedactionPlan,
  type RedactSpec,
  type ScanLimits,
  type ScanMemory,
  type Segment,
  type Stage,
  type Steps,
  type Violation,
  withoutReading,
} from '../core/index.js';
import type { ActivePolicy } from '../policy-store/index.js';
import { withoutBlockedHistory } from './blocked-history.js';
import type { GuardAnswerInput, JudgeInput, Judgement } from './judgement.js';
import { maskedBy } from './masked-by.js';
import { keptNothing, mergeDecisions } from './merge-decisions.js';
import { RemoteScanner } from './remote-scan.js';
import type { ScanCache } from './scan-cache.js';
import type { ScanPool } from './scan-pool.js';
import { snapshotOf, type JudgedStage } from './snapshot.js';
import { afterOthers } from './unhurried.js';
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
  ...UNMASKABLE_REFUSAL,
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
    const findings = findingsOf(outcomes);
    const masked = input.enforceable ? await this.inTurns(maskedBy(stages, findings, call)) : [];
    const spared = await this.inTurns(sparedOf(policy.policy, masked, call));
    const decided = mergeDecisions(stages.map((judged) => judged.decision));
    const inSigned = await this.inTurns(refusingSigned(decided, masked, spared, call));
    const merged = await this.inTurns(sparing(inSigned, masked, spared));
    const fired = input.enforceable ? merged.fired : merged.fired.map((rule) => ({ ...rule, enforced: false }));
    const redaction =
      input.enforceable && merged.action === 'redact'
        ? await this.inTurns(planFor(stages, masked, spared, input, await this.hashFor(merged.redact, input.accountId)))
        : { edits: [], redactions: [], restorable: new Map<string, string>() };
    const judgement: Judgement = {
      action: input.enforceable ? merged.action : 'allow',
      ...(input.enforceable && merged.reason !== undefined ? { reason: merged.reason } : {}),
      unavailable: input.enforceable && merged.unavailable,
      missing: merged.missing,
      fired,
      excepted: input.enforceable && merged.action !== 'block' ? decided.excepted : decided.excepted.map(keptNothing),
      violations: await this.inTurns(violationsOf(fired, call, findings, spared)),
      edits: redaction.edits,
      redactions: redaction.redactions,
      restorable: redaction.restorable,
      outcomes,
      findings,
      snapshot: await this.inTurns(
        snapshotOf({
          policy: policy.policy,
          nowMs,
          clientMonitor: monitorHonoured,
          stages,
          call,
          findings,
          ...(input.hiddenNames === undefined ? {} : { hiddenNames: input.hiddenNames }),
          ...(input.request === undefined ? {} : { request: input.request }),
        }),
      ),
      monitorIgnored: input.monitorRequested && !monitorHonoured,
      tookMs: this.clock.monotonicMs() - startedMs,
    };
    return masksFixed(redaction.edits, call.segments)
      ? {
          ...{ ...judgement, ...REFUSED_REDACTION },
          excepted: judgement.excepted.map(keptNothing),
          violations: judgement.violations.map(explained(call)),
        }
      : judgement;
  }

  /**
   * What has to be masked before a judged call may be stored: every finding of every detector, whatever the rules did
   * about it. When a detector failed, nobody can vouch for the texts and all of them are withheld.
   */
  async maskJudged(policy: ActivePolicy, segments: readonly Segment[], judgement: Judgement): Promise<Mask[]> {
    return policy.policy.content === 'full' ? [] : this.inTurns(masksOf(segments, judgement.outcomes));
  }

  /**
   * The same for texts that no rule judges: metadata, error messages, ids.
   * @param anyway whatever the policy stores: for what stands in places of its own, such as log lines
   */
  async maskTexts(policy: ActivePolicy, segments: readonly Segment[], anyway = false): Promise<Mask[]> {
    if ((policy.policy.content === 'full' && !anyway) || segments.length === 0) return [];
    const outcomes = await runScan(
      policy.detectors,
      segments,
      this.limits(policy, policy.policy.deadlineMs.pre, MASKS),
    );
    return this.inTurns(masksOf(segments, outcomes));
  }

  /** With as many findings as a long text can have, one step after the scan takes as long as many small calls. */
  private inTurns<Result>(steps: Steps<Result>): Promise<Result> {
    return inTurns(steps, { nowMs: () => this.clock.monotonicMs(), pause: afterOthers });
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
      const factSet = await this.inTurns(buildingFacts(facts));
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
      const scoped = await this.inTurns(scopingOutcomes(toolCall, outcomes, requestOutcomes));
      await run('tool', { ...base, toolCall, outcomes: scoped }, index);
      if (index % CALLS_IN_ONE_PIECE === CALLS_IN_ONE_PIECE - 1) await afterOthers();
    }
    const unread = call.newToolCalls[MAX_READ_TOOL_CALLS];
    if (unread !== undefined) {
      // Together, as one of which nothing is known: what may not be unknown is refused.
      const structures = withoutReading(policy.structures);
      const everything = { ...unread, segments: call.segments.map((_, segment) => segment) };
      const scoped = await this.inTurns(scopingOutcomes(everything, outcomes, requestOutcomes));
      await run('tool', { ...base, structures, toolCall: unread, outcomes: scoped }, MAX_READ_TOOL_CALLS);
    }
    return judged;
  }
}

const CALLS_IN_ONE_PIECE = 8;

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

/** Rules of stage post mask the whole answer; a rule of stage tool masks the call it was asked about. */
function* planFor(
  stages: readonly JudgedStage[],
  masked: readonly LocatedFinding[],
  spared: ReadonlySet<LocatedFinding>,
  { call }: JudgeInput,
  hash: KeyedHash | undefined,
): Steps<RedactionPlan> {
  const specs = stages.flatMap(({ decision }) => decision.redact);
  const findings = spared.size === 0 ? masked : yield* filtered(masked, (finding) => !spared.has(finding));
  const { segments } = call;
  return yield* planningRedaction({ specs, findings, segments, ...(hash === undefined ? {} : { hash }) });
}

function findingsOf(outcomes: readonly DetectorOutcome[]): readonly LocatedFinding[] {
  return joinedLists(outcomes.map((outcome) => (outcome.status === 'scanned' ? outcome.findings : [])));
}

function* masksOf(segments: readonly Segment[], outcomes: readonly DetectorOutcome[]): Steps<Mask[]> {
  if (outcomes.some((outcome) => outcome.status === 'failed')) {
    const mask = { start: 0, replacement: UNSCANNED, code: 'UNSCANNED' };
    return segments.map(({ text }, segment) => ({ ...mask, segment, end: text.length }));
  }
  return yield* maskingAll(findingsOf(outcomes), segments);
}
