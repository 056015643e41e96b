import { Inject, Injectable } from '@nestjs/common';
import {
  filtered,
  joinedLists,
  Numbering,
  THINGS_BETWEEN_STOPS,
  type DecodedCall,
  type Edit,
  type Mask,
  type Steps,
} from '../core/index.js';
import type { Hold, NewEvent } from '../events/index.js';
import { JudgementService, unhurried, type Judgement } from '../judgement/index.js';
import { storingJson } from './answer-texts.js';
import { draftOf, type EventContent } from './call-event.js';
import { CallPipeline, type Claim } from './call-pipeline.js';
import { keptOf } from './kept-marks.js';
import { spendingCall, type AdmittedCall, type ProxiedCall } from './proxied-call.js';
import { blockReason, refusalOf } from './refusal.js';
import { refusalHeaders } from './weir-headers.js';

type SetHeader = (name: string, value: string) => void;

/** What a refusal that is in the log tells beside its body. */
function tellRefusal(call: ProxiedCall, { id, eventId }: NewEvent, setHeader: SetHeader): void {
  for (const [name, value] of Object.entries(refusalHeaders(call, id, eventId))) setHeader(name, value);
}

/** Judges requests, asks for the money, and puts them into the log. */
@Injectable()
export class RequestJudge {
  constructor(
    @Inject(JudgementService) private readonly judging: JudgementService,
    @Inject(CallPipeline) private readonly pipeline: CallPipeline,
  ) {}

  /**
   * Resolves when the `ai.request` is in the log and the call may go on.
   * @param setHeader for what a refusal tells beside its body
   * @throws WeirError when a rule or a budget refuses it, or when it cannot be recorded
   */
  async admit(call: ProxiedCall, setHeader: SetHeader): Promise<AdmittedCall> {
    const money = spendingCall(call);
    const { judgement, budgets } = await this.pipeline.judge(money, {
      call: call.request,
      ...(call.doc === undefined ? {} : { doc: call.doc }),
      kind: 'request',
      enforceable: true,
      monitorRequested: false,
      hiddenNames: call.storedModel === undefined ? [] : ['model'],
    });
    const event = draftOf(call, await this.content(call, judgement));
    const { id, eventId } = event;
    const { claim } = call;
    if (judgement.action === 'block') {
      const refusal = refusalOf(judgement, eventId);
      // What could not be evaluated is judged anew when it comes again.
      const isRemembered = claim !== undefined && !judgement.unavailable;
      const answer = isRemembered ? claim.refused(call, id, refusal) : undefined;
      await this.pipeline.refuse(event, answer && { fingerprint: claim!.fingerprint, answer });
      tellRefusal(call, event, setHeader);
      throw refusal;
    }
    const addedBytes = await unhurried(bytesOf(judgement.edits));
    const holding = (hold: Hold): AdmittedCall => ({ ...call, judgement, id, eventId, budgets, hold });
    const granted = async (hold: Hold): Promise<Claim | undefined> =>
      claim && { fingerprint: claim.fingerprint, answer: await claim.granted(holding(hold)) };
    const passed = { money, event, enforced: true, addedBytes, claim: granted };
    return holding(await this.pipeline.goOn(passed, () => tellRefusal(call, event, setHeader)));
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
