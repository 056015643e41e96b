import { Inject, Injectable } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
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
import type { NewEvent } from '../events/index.js';
import { runCooperatively } from '../judgement/index.js';
import { storingJson } from './answer-texts.js';
import { namesOf } from './call-event.js';
import { cannedAnswerTo } from './canned-answers.js';
import { CallPipeline, type EventContent, type Judged, type Stored } from './call-pipeline.js';
import { storedContentOf } from './stored-content.js';
import { spendingCall, type AdmittedCall, type ProxiedCall } from './proxied-call.js';
import { refusalHeaders } from './weir-headers.js';

type SetHeader = (name: string, value: string) => void;

/** Sets the headers of a recorded refusal. */
function sendRefusalHeaders(call: ProxiedCall, { id, eventId }: NewEvent, setHeader: SetHeader): void {
  for (const [name, value] of Object.entries(refusalHeaders(call, id, eventId))) setHeader(name, value);
}

/** Judges requests and records them with their reservations. */
@Injectable()
export class RequestJudge {
  constructor(
    @Inject(CallPipeline) private readonly pipeline: CallPipeline,
    @Inject(APP_CONFIG) private readonly config: AppConfig,
  ) {}

  /**
   * Resolves when the call may continue: the `ai.request` is in the log, or, with `inFlight`, is being stored.
   * @param setHeader sets the headers of a refusal
   * @throws WeirError when a rule or a budget refuses the call, or when it cannot be recorded; StoredBefore
   */
  async admit(call: ProxiedCall, setHeader: SetHeader): Promise<AdmittedCall> {
    const { claim, request } = call;
    const admitted = ({ judgement, event, ledger, hold }: Stored): AdmittedCall => {
      if (judgement === undefined || hold === undefined) throw new Error('a request was admitted without a judgement');
      const { id, eventId } = event;
      return { ...call, judgement, id, eventId, ledger, hold };
    };
    const result = await this.pipeline.take({
      type: 'ai.request',
      money: spendingCall(call),
      call: request,
      receivedAt: call.receivedAt,
      eventId: claim?.eventId,
      beside: this.recordsConcurrently(call),
      asked: {
        ...(call.doc === undefined ? {} : { doc: call.doc }),
        kind: 'request',
        enforceable: true,
        monitorRequested: false,
        hiddenNames: call.storedModel === undefined ? [] : ['model'],
      },
      content: (judged) => contentOf(call, judged),
      canned: (text) => cannedAnswerTo(call, text),
      claim: claim && {
        fingerprint: claim.fingerprint,
        passed: (stored) => claim.granted(admitted(stored)),
        refused: (refusal, { id }) => claim.refused(call, id, refusal),
      },
    });
    if (result.outcome === 'recorded') {
      const { inFlight } = result;
      return { ...admitted(result), ...(inFlight === undefined ? {} : { inFlight }) };
    }
    sendRefusalHeaders(call, result.event, setHeader);
    throw result.refusal;
  }

  /**
   * Whether a call may continue while its request is stored: if the operator allows it, unless the policy's `default` is
   * `block`, because then no call may continue unrecorded.
   */
  private recordsConcurrently({ surface, policy }: ProxiedCall): boolean {
    return this.config.proxy.recordsConcurrently && surface === 'proxy' && policy.policy.default !== 'block';
  }
}

async function contentOf(call: ProxiedCall, { judgement, masks: found }: Judged): Promise<EventContent> {
  const { doc, policy, request } = call;
  const masks = await withWithheld(request, found);
  const { edits = [] } = judgement ?? {};
  const isFull = policy.policy.content === 'full';
  const stored = doc === undefined ? undefined : await runCooperatively(storingJson(doc, request, masks, isFull));
  const kept = { call: request, masks, numbering: new Numbering(), ...(judgement && { judgement }) };
  return {
    ...namesOf(call),
    traceId: call.storedRequestId ?? call.requestId,
    ...(await storedContentOf(call, stored, kept)),
    addedBytes: edits.length === 0 ? 0 : await runCooperatively(bytesOf(edits)),
    latencyMs: { weir: performance.now() - call.startedMs },
  };
}

/** Adds the masks of withheld texts to the given masks; most calls have neither. */
async function withWithheld(request: DecodedCall, masks: readonly Mask[]): Promise<readonly Mask[]> {
  const isAllRead = request.contents === undefined || request.contents.unread.length === 0;
  return masks.length === 0 && isAllRead ? masks : runCooperatively(withheldTexts(request, masks));
}

/**
 * A finding in another reading of a body (the body with its escapes decoded, or a base64 file in it) is also in the body itself, at an
 * unknown position. The texts that may contain it are therefore withheld from the log.
 * @returns `masks`, and masks of the withheld texts
 */
function* withheldTexts({ segments, contents }: DecodedCall, masks: readonly Mask[]): Steps<readonly Mask[]> {
  const inFixed = yield* filtered(masks, ({ segment }) => segments[segment]!.fixed === true);
  const paths = new Set(inFixed.map(({ segment }) => segments[segment]!.path));
  // The content of a file whose reader failed is also unknown.
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

/** The total length of replacements. */
function* bytesOf(edits: readonly Edit[]): Steps<number> {
  let bytes = 0;
  for (let index = 0; index < edits.length; index++) {
    bytes += Buffer.byteLength(edits[index]!.replacement);
    if (index % THINGS_BETWEEN_STOPS === 0) yield;
  }
  return bytes;
}
