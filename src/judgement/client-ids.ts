/** Ids chosen by clients: they are stored in columns, log lines and answers, so detectors read them first. */
import { applyEdits, stableToken, type Edit, type Segment } from '../core/index.js';
import type { ActivePolicy } from '../policy-store/index.js';
import type { JudgementService } from './judgement.service.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether an id has the form of a UUID: random characters without meaning for a detector. */
export function isUuidShaped(id: string): boolean {
  return UUID.test(id);
}

/** An id chosen by a client. */
interface ClientId {
  readonly path: string;
  readonly text: string;
  /** The app in which several events have the id: it is remembered for a while if nothing is found in it. */
  readonly sharedIn?: string;
}

/**
 * Masks an id's findings, or the whole id when a detector failed. A token of the account keeps masked ids distinct, so
 * that the events of one call are still found together.
 */
export async function maskedId(
  judging: Pick<JudgementService, 'maskTexts' | 'tokenHash'>,
  policy: ActivePolicy,
  accountId: string,
  { path, text, sharedIn }: ClientId,
): Promise<string> {
  if (isUuidShaped(text)) return text;
  const segment: Segment = { path, role: 'metadata', text, ref: 0 };
  const edits = await judging.maskTexts(policy, [segment], {
    accountId,
    anyway: true,
    ...(sharedIn === undefined ? {} : { idIn: sharedIn }),
  });
  return distinctly(judging, accountId, text, edits);
}

/**
 * Applies the masks of an id. A token of the account follows them, so that the ids of different people stay distinct although they are
 * masked alike, and an erasure finds the id.
 */
export async function distinctly(
  judging: Pick<JudgementService, 'tokenHash'>,
  accountId: string,
  text: string,
  edits: readonly Edit[],
): Promise<string> {
  if (edits.length === 0) return text;
  return applyEdits(text, edits) + stableToken('ID', text, await judging.tokenHash(accountId));
}
