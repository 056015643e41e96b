import { Inject, Injectable } from '@nestjs/common';
import {
  filtered,
  joinedLists,
  Numbering,
  THINGS_BETWEEN_STOPS,
  type DecodedCall,
  type Edit,
  type LedgerStep,
  type Mask,
  type Steps,
} from '../core/index.js';
import { SPENDING, type NewEvent, type Spending, type SpendingCall, type SpendingOutcome } from '../events/index.js';
import { WeirError } from '../http/index.js';
import { JudgementService, unhurried, type Judgement } from '../judgement/index.js';
import { Metrics } from '../metrics/index.js';
import { storingJson } from './answer-texts.js';
import { CallRecorder, type EventContent } from './call-recorder.js';
import { keptOf } from './kept-marks.js';
import { judgedCall, spendingCall, type AdmittedCall, type ProxiedCall } from './proxied-call.js';
import { blockReason, refusalOf } from './refusal.js';
import { refusalHeaders } from './weir-headers.js';

type SetHeader = (name: string, value: string) => void;

/** What the money side is asked with. */
interface Asked {
  readonly money: SpendingCall;
  readonly call: ProxiedCall;
  readonly event: NewEvent;
  readonly judgement: Judgement;
  readonly setHeader: SetHeader;
}

/** What a refusal that is in the log tells beside its body. */
function tellRefusal(call: ProxiedCall, { id, eventId }: NewEvent, setHeader: SetHeader): void {
  for (const [name, value] of Object.entries(refusalHeaders(call, id, eventId))) setHeader(name, value);
}

/** Judges requests, asks for the money, and puts them into the log. */
@Injectable()
export class RequestJudge {
  constructor(
    @Inject(JudgementService) private readonly judging: JudgementService,
    @Inject(SPENDING) private readonly spending: Spending,
    @Inject(CallRecorder) private readonly recorder: CallRecorder,
    @Inject(Metrics) private readonly metrics: Metrics,
  ) {}

  /**
   * Resolves when the `ai.request` is in the log and the call may go on.
   * @param setHeader for what a refusal tells beside its body
   * @throws WeirError when a rule or a budget refuses it, or when it cannot be recorded
   */
  async admit(call: ProxiedCall, setHeader: SetHeader): Promise<AdmittedCall> {
    const money = spendingCall(call);
    const budgets = await this.spending.known(money);
    const judgement = await this.judging.judge({
      policy: call.policy,
      accountId: call.caller.accountId,
      context: money.context,
      budgets,
      call: call.request,
      ...(call.doc === undefined ? {} : { doc: call.doc }),
      kind: 'request',
      enforceable: true,
      monitorRequested: false,
      hiddenNames: call.storedModel === undefined ? [] : ['model'],
    });
    this.metrics.judged(judgedCall(call, judgement));
    const event = this.recorder.draft(call, await this.content(call, judgement));
    const { id, eventId } = event;
    if (judgement.action !== 'block') {
      const { hold, ledger } = await this.spend({ money, call, event, judgement, setHeader });
      const admitted = { ...call, judgement, id, eventId, budgets, hold };
      await this.store(admitted, event, ledger).catch(async (error: unknown) => {
        await hold.release();
        throw error;
      });
      return admitted;
    }
    const refusal = refusalOf(judgement, eventId);
    const { claim } = call;
    // What could not be evaluated is judged anew when it comes again.
    const isRemembered = claim !== undefined && !judgement.unavailable;
    await this.recorder.append(
      event,
      isRemembered ? { claim: { fingerprint: claim.fingerprint, answer: claim.refused(call, id, refusal) } } : {},
    );
    tellRefusal(call, event, setHeader);
    throw refusal;
  }

  private async store(call: AdmittedCall, event: NewEvent, ledger: readonly LedgerStep[]): Promise<void> {
    const { claim } = call;
    if (claim === undefined) return this.recorder.append(event, { ledger });
    const { fingerprint } = claim;
    await this.recorder.append(event, { ledger, claim: { fingerprint, answer: await claim.granted(call) } });
  }

  private async content(call: ProxiedCall, judgement: Judgement): Promise<EventContent> {
    const { doc, policy, request } = call;
    const found = await this.judging.maskJudged(policy, request.segments, judgement);
    const masks = await unhurried(withheldTexts(request, found));
    const isFull = policy.policy.content === 'full';
    const blocked = judgement.action === 'block';
    const stored = doc === undefined ? undefined : await unhurried(storingJson(doc, request, masks, isFull));
    const kept = await keptOf(call, stored, { call: request, masks, judgement, numbering: new Numbering() });
    return {
      type: 'ai.request',
      judgement,
      ...kept,
      decision: judgement.action,
      ...(blocked ? { reason: judgement.unavailable ? 'guardrail_unavailable' : blockReason(judgement) } : {}),
      violations: judgement.unavailable ? [] : judgement.violations,
      redactions: judgement.redactions,
      weirMs: performance.now() - call.startedMs,
    };
  }

  /** Asks the money side. @throws WeirError when it refuses; that is recorded first */
  private async spend({
    money,
    call,
    event,
    judgement,
    setHeader,
  }: Asked): Promise<Extract<SpendingOutcome, { outcome: 'granted' }>> {
    const addedBytes = await unhurried(bytesOf(judgement.edits));
    const spending = await this.spending.reserve(money, { event, enforced: true, addedBytes });
    if (spending.outcome === 'granted') return spending;
    const { reason, message, retryAfterSeconds, children } = spending;
    await this.recorder.append({ ...event, decision: 'block', reason, redactions: [] }, { others: children });
    tellRefusal(call, event, setHeader);
    throw new WeirError(reason, {
      message,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      decision: 'block',
      violations: judgement.violations,
      eventId: event.eventId,
    });
  }
}

/**
 * What was found in another reading of a body (its escapes undone, a file in base64) stands in the body too, where nobody
 * can point at it: the texts in question are withheld from the log.
 * @returns the masks and those that withhold texts
 */
function* withheldTexts({ segments, contents }: DecodedCall, masks: readonly Mask[]): Steps<readonly Mask[]> {
  const inFixed = yield* filtered(masks, ({ segment }) => segments[segment]!.fixed === true);
  const paths = new Set(inFixed.map(({ segment }) => segments[segment]!.path));
  // Nor can anybody say what is in a file whose reader failed.
  for (const { path, why } of contents?.unread ?? []) if (why === 'outage') paths.add(path);
  if (paths.size === 0) return masks;
  const isWhole = [...paths].some((path) => /^(?:body$|parts\[)/.test(path));
  const withheld = segments.flatMap(({ path, ref, text }, segment) =>
    ref >= 0 && (isWhole || paths.has(path))
      ? [{ segment, start: 0, end: text.length, replacement: '[WITHHELD]', code: 'WITHHELD' }]
      : [],
  );
  return joinedLists([masks, withheld]);
}

/** How much is put in the place of texts. */
function* bytesOf(edits: readonly Edit[]): Steps<number> {
  let bytes = 0;
  for (let index = 0; index < edits.length; index++) {
    bytes += Buffer.byteLength(edits[index]!.replacement);
    if (index % THINGS_BETWEEN_STOPS === 0) yield;
  }
  return bytes;
}
