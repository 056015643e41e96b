/** Ids and names of an event that have separate columns: findings of detectors in them are not stored. */
import type { Caller } from '../access/index.js';
import { applyEdits, isPlain, type Mask, type Segment } from '../core/index.js';
import { invalidRequest, WeirError } from '../http/index.js';
import { isUuidShaped, maskedId, UNSCANNED, type JudgementService } from '../judgement/index.js';
import type { ActivePolicy } from '../policy-store/index.js';
import type { Submission } from './submission.js';

/**
 * The submission with its names as they are stored. Masked request ids get a token of the account that is stable for each id, so that
 * the events of one call are found together.
 *
 * @throws {WeirError} 422 `invalid_request` for an event id that must not be stored; the value is not repeated
 */
export async function withStoredNames(
  submission: Submission,
  judging: JudgementService,
  policy: ActivePolicy,
  { accountId, appId }: Pick<Caller, 'accountId' | 'appId'>,
): Promise<Submission> {
  const { requestId, model, provider, event } = submission;
  await refuseFoundId(event.event_id ?? undefined, judging, policy, accountId);
  const stored =
    requestId === undefined || policy.policy.content === 'full'
      ? requestId
      : await maskedId(judging, policy, accountId, { path: 'request_id', text: requestId, sharedIn: appId });
  const mask: MaskNames = (names) => judging.maskTexts(policy, names, { accountId, comesAgainIn: appId });
  const storedModel = await maskedName('model', model, mask);
  const storedProvider = await maskedName('provider', provider, mask);
  return {
    ...submission,
    ...(stored === undefined ? {} : { requestId: stored }),
    ...(storedModel === undefined ? {} : { storedModel }),
    ...(storedProvider === undefined ? {} : { storedProvider }),
  };
}

type MaskNames = (names: readonly Segment[]) => Promise<Mask[]>;

/** Undefined if the name can be stored unchanged. */
async function maskedName(path: string, text: string | undefined, mask: MaskNames): Promise<string | undefined> {
  if (text === undefined || isPlain(text)) return undefined;
  const edits = await mask([name(path, text)]);
  return edits.length === 0 ? undefined : applyEdits(text, edits);
}

/**
 * Refuses an event id with findings: it cannot be masked, since it identifies retries, and log lines contain it under every policy. If
 * a detector failed, the client has to retry, unless the id consists of plain words.
 */
async function refuseFoundId(
  eventId: string | undefined,
  judging: JudgementService,
  policy: ActivePolicy,
  accountId: string,
) {
  if (eventId === undefined || isUuidShaped(eventId)) return;
  const edits = await judging.maskTexts(policy, [name('event_id', eventId)], { accountId, anyway: true });
  if (edits.length === 0) return;
  if (edits.some(({ replacement }) => replacement !== UNSCANNED)) {
    throw invalidRequest([{ path: 'event_id', message: 'must not contain personal data or a secret' }]);
  }
  if (isPlain(eventId)) return;
  throw new WeirError('guardrail_unavailable', {
    message: 'A guardrail could not evaluate the event_id; a UUID needs no evaluation',
    retryAfterSeconds: 1,
  });
}

function name(path: string, text: string): Segment {
  return { path, role: 'metadata', text, ref: 0 };
}
