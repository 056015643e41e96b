import {
  atOnceOrInTurns,
  findingsOf,
  GuardedStream,
  judgeCall,
  maskingAll,
  runScan,
  scanWithin,
  SILENT_LEDGER,
  stageOfKind,
  type CallJudgement,
  type CallToJudge,
  type DetectorOutcome,
  type EarlierRequest,
  type JudgeHost,
  type KeyedHash,
  type Mask,
  type RedactSpec,
  type ScanLimits,
  type ScanMemory,
  type Segment,
  type Steps,
  type Turns,
} from '../core/index.js';
import type { ActivePolicy } from '../policy-store/index.js';
import { spanned } from '../telemetry/index.js';
import type { GuardAnswerInput, JudgeInput, Judgement } from './judgement.js';
import type { RemoteScanner } from './remote-scan.js';
import { ENTRY_BYTES, ScanCache, type CleanTexts, type ScanScope } from './scan-cache.js';
import type { ScanPool } from './scan-pool.js';
import { snapshotOf } from './snapshot.js';
import { textDigest } from './text-digest.js';
import { afterOthers } from './cooperative-steps.js';

/** The clock of the judge. It is injected, so that expiry and deadlines can be tested. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. */
  nowMs(): number;
  /** Monotonic milliseconds. */
  monotonicMs(): number;
  /**
   * CPU time of this thread in milliseconds; the time limits of detectors refer to it. Default: `monotonicMs`.
   */
  workMs?(): number;
}

/** Provides the key from which an account's stable tokens are derived. */
export interface TokenHashes {
  of(accountId: string): Promise<KeyedHash>;
}

/** Replaces a text that could not be scanned. */
export const UNSCANNED = '[UNSCANNED]';

/** The number of ids without findings that are remembered. More calls than an application has open at a time. */
const CLEAN_IDS = 2_000;

/** Options for texts that no rule judges. */
export interface MaskedTexts {
  /** The account whose texts they are. */
  readonly accountId: string;
  /** Masks regardless of the policy's storage setting: for texts that are kept elsewhere, such as log lines. */
  readonly anyway?: boolean;
  /**
   * The app whose calls repeat these texts, such as metadata values: findings in them are cached for it. Omit it for
   * ids that are new in each call, which would only fill the cache.
   */
  readonly comesAgainIn?: string;
  /**
   * The app in which several events have this id, such as the request and the answer of a call. If nothing is found in it, this is
   * remembered for a limited number of ids, beside the cache of texts.
   */
  readonly idIn?: string;
}

/**
 * Connects the judge of core to the server's resources: the clock, worker threads, the cache of findings, remote
 * detectors and the keys of accounts. REST, SDKs and the proxy all use it. It stores no data and sends only the requests of
 * remote detectors.
 */
export class JudgementService {
  private readonly turns: Turns;
  /** Separate from the cache of texts: ids are new in each call, and would displace prompts. */
  private readonly ids: ScanCache | undefined;

  /**
   * @param remote without it, remote detectors count as not run
   * @param tokens without it, rules with stable tokens cannot be applied
   * @param cache without it, findings are not cached
   * @param pool without it, all texts are scanned on this thread
   */
  constructor(
    private readonly clock: Clock,
    private readonly remote?: RemoteScanner,
    private readonly tokens?: TokenHashes,
    private readonly cache?: ScanCache,
    private readonly pool?: ScanPool,
  ) {
    this.turns = { nowMs: () => clock.monotonicMs(), pause: afterOthers };
    this.ids = cache && new ScanCache(CLEAN_IDS * ENTRY_BYTES);
  }

  /**
   * Never rejects because of a detector or a rule: their failures are part of the judgement.
   * @throws AccessUnavailable when the key of stable tokens cannot be read, in which case nothing is forwarded
   */
  async judge(input: JudgeInput): Promise<Judgement> {
    const startedMs = this.clock.monotonicMs();
    const host = this.hostOf(input);
    const judged = await judgeCall(toJudge(input), host);
    const snapshot = await this.inTurns(snapshotOf(input, judged, host.nowMs));
    return { ...judgementOf(judged), snapshot, tookMs: this.clock.monotonicMs() - startedMs };
  }

  /**
   * Judges a call and also returns the masks to apply before it is stored: see `maskJudged`.
   * @throws AccessUnavailable
   */
  async judgeAndMask(input: JudgeInput): Promise<{ readonly judgement: Judgement; readonly masks: readonly Mask[] }> {
    const judgement = await this.judge(input);
    return { judgement, masks: await this.maskJudged(input.policy, input.call.segments, judgement) };
  }

  /** The keyed hash of an account's stable tokens. @throws AccessUnavailable when its key cannot be read */
  async tokenHash(accountId: string): Promise<KeyedHash> {
    if (this.tokens === undefined) throw new Error('stable redaction tokens need the key of the account');
    return this.tokens.of(accountId);
  }

  /**
   * Guards a streamed answer while it is being sent.
   * @param plan a plan of mode `guard`, or of mode `pass` when only tokens have to be restored
   * @throws AccessUnavailable when the key of stable tokens cannot be read
   */
  async guard(input: GuardAnswerInput): Promise<GuardedStream> {
    const { policy, plan, request } = input;
    const { policy: compiled, detectors, structures } = policy;
    const redacting = compiled.rules.flatMap(({ stage, redact }) => (stage === 'pre' || !redact ? [] : [redact]));
    const hash = await this.hashFor(redacting, input.accountId);
    const before = requestBefore(request);
    return new GuardedStream({
      dialect: input.dialect,
      policy: compiled,
      plan,
      detectors,
      facts: {
        context: input.context,
        structures,
        ledger: input.ledger ?? SILENT_LEDGER,
        request: before.call,
        ...(input.session === undefined ? {} : { session: input.session }),
      },
      requestOutcomes: before.outcomes,
      nowMs: this.clock.nowMs(),
      tokens: request.judgement.restorable,
      turns: this.turns,
      ...(hash === undefined ? {} : { hash }),
      digest: textDigest,
      scan: (segments) => runScan(detectors, segments, this.limits(policy, compiled.deadlineMs.tool, partyOf(input))),
    });
  }

  /**
   * The masks to apply before a judged call is stored: every finding of every detector, whatever the rules decided.
   * When a detector failed, all texts are withheld.
   */
  async maskJudged(policy: ActivePolicy, segments: readonly Segment[], judgement: Judgement): Promise<Mask[]> {
    return policy.policy.content === 'full' ? [] : this.inTurns(masksOf(segments, judgement.outcomes));
  }

  /** Computes the masks for texts that no rule judges: metadata, error messages, ids. */
  async maskTexts(policy: ActivePolicy, segments: readonly Segment[], whose: MaskedTexts): Promise<Mask[]> {
    const { accountId, anyway = false, comesAgainIn } = whose;
    if ((policy.policy.content === 'full' && !anyway) || segments.length === 0) return [];
    const clean = this.cleanTexts(policy, segments, whose);
    if (clean?.areKnown === true) return [];
    const memory = comesAgainIn === undefined ? undefined : this.cache?.memory(scopeOf(policy, comesAgainIn));
    const outcomes = await runScan(
      policy.detectors,
      segments,
      this.limits(policy, policy.policy.deadlineMs.pre, { accountId, member: MASKS }, memory),
    );
    if (clean !== undefined && foundNothing(outcomes)) clean.keep();
    return this.inTurns(masksOf(segments, outcomes));
  }

  /** Undefined for texts that have to be scanned each time. */
  private cleanTexts(
    policy: ActivePolicy,
    segments: readonly Segment[],
    { comesAgainIn, idIn }: MaskedTexts,
  ): CleanTexts | undefined {
    // Services are always asked.
    if (policy.detectors.some(({ remote }) => remote !== undefined)) return undefined;
    if (idIn !== undefined) return this.ids?.cleanTexts(scopeOf(policy, idIn), segments);
    return comesAgainIn === undefined ? undefined : this.cache?.cleanTexts(scopeOf(policy, comesAgainIn), segments);
  }

  private hostOf(input: JudgeInput): JudgeHost {
    const { policy, accountId } = input;
    const memory = this.cache?.memory(scopeOf(policy, input.context.app.id));
    const deadlineMs = policy.policy.deadlineMs[stageOfKind(input.kind)];
    const scan = scanWithin(this.limits(policy, deadlineMs, partyOf(input), memory));
    return {
      nowMs: this.clock.nowMs(),
      scan: (...asked) => spanned('detectors', () => scan(...asked)),
      hash: () => this.tokenHash(accountId),
      turns: this.turns,
    };
  }

  /** A long text can have so many findings that a single step after the scan takes as long as many small calls. */
  private inTurns<Result>(steps: Steps<Result>): Promise<Result> | Result {
    return atOnceOrInTurns(steps, this.turns);
  }

  private async hashFor(specs: readonly RedactSpec[], accountId: string): Promise<KeyedHash | undefined> {
    return specs.some(({ tokens }) => tokens === 'stable') ? this.tokenHash(accountId) : undefined;
  }

  private limits(policy: ActivePolicy, deadlineMs: number, party: Party, memory?: ScanMemory): ScanLimits {
    const { remote, clock } = this;
    const { accountId, member } = party;
    const elsewhere = this.pool?.for({ policy: policy.digest, party: [accountId, member] }, policy.detectors);
    return {
      ...(elsewhere === undefined ? {} : { elsewhere }),
      ...(memory === undefined ? {} : { memory }),
      ...(remote === undefined
        ? {}
        : { askRemote: (bound, segments, timeoutMs) => remote.scan(bound, segments, timeoutMs, accountId) }),
      nowMs: () => clock.workMs?.() ?? clock.monotonicMs(),
      deadlineMs,
      pause: afterOthers,
    };
  }
}

function scopeOf({ digest, detectors }: ActivePolicy, appId: string): ScanScope {
  return { policy: digest, appId, detectors: detectors.length };
}

/** Accounts take turns in worker threads, and so do the members of each. */
interface Party {
  readonly accountId: string;
  /** The key of a call, or `MASKS`. */
  readonly member: string;
}

/** Texts that no rule judges are scanned in separate turns. */
const MASKS = 'masks';

function partyOf({ accountId, context }: Pick<JudgeInput, 'accountId' | 'context'>): Party {
  return { accountId, member: context.key.id };
}

/** Removes the fields that only the snapshot needs. */
function judgementOf(judged: CallJudgement): Omit<Judgement, 'snapshot' | 'tookMs'> {
  const { action, unavailable, missing, fired, excepted, violations, edits, redactions, restorable } = judged;
  const { reason, answer, repair, outcomes, findings, monitorIgnored } = judged;
  return {
    ...{ action, unavailable, missing, fired, excepted, violations, edits, redactions, restorable },
    ...(reason === undefined ? {} : { reason }),
    ...(answer === undefined ? {} : { answer }),
    ...(repair === undefined ? {} : { repair }),
    ...{ outcomes, findings, monitorIgnored },
  };
}

function toJudge({
  accountId: _account,
  hiddenNames: _names,
  request,
  earlierRequest,
  ...input
}: JudgeInput): CallToJudge {
  const before = request === undefined ? earlierRequest : requestBefore(request);
  return { ...input, ...(before === undefined ? {} : { request: before }) };
}

/** For a repaired request, the form that the provider received. */
function requestBefore({ call, judgement }: NonNullable<JudgeInput['request']>): Required<EarlierRequest> {
  const { repair, outcomes, restorable } = judgement;
  return { call: repair?.call ?? call, outcomes: repair?.outcomes ?? outcomes, restorable };
}

/** Whether every detector has scanned all texts, and none found anything. */
function foundNothing(outcomes: readonly DetectorOutcome[]): boolean {
  return outcomes.every((outcome) => outcome.status === 'scanned' && outcome.findings.length === 0);
}

function* masksOf(segments: readonly Segment[], outcomes: readonly DetectorOutcome[]): Steps<Mask[]> {
  if (foundNothing(outcomes)) return [];
  if (outcomes.some((outcome) => outcome.status === 'failed')) {
    const mask = { start: 0, replacement: UNSCANNED, code: 'UNSCANNED' };
    return segments.map(({ text }, segment) => ({ ...mask, segment, end: text.length }));
  }
  return yield* maskingAll(findingsOf(outcomes), segments);
}
