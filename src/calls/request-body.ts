import {
  applyingEdits,
  joinedLists,
  liftingEdits,
  logprobEdits,
  mergingEdits,
  type JsonDocument,
  type Steps,
  type TextEdit,
} from '../core/index.js';
import { unhurried } from '../judgement/index.js';
import type { AdmittedCall } from './proxied-call.js';
import { outputCap } from './output-cap.js';
import { usageRequest } from './usage-request.js';

/** What a judged request goes on with. */
export interface RequestBody {
  /** Absent when nothing is changed: then the client's own bytes go on. */
  readonly changed?: Buffer;
  /** Token counts were asked for that the client does not expect. */
  readonly askedForUsage: boolean;
}

/**
 * The body that a judged request goes on with: the client's text with redacted ranges replaced and blocked turns taken
 * out, every other character as it was.
 *
 * @param askForUsage have a stream report its token counts, when its client did not ask for them
 */
export async function requestBody(call: AdmittedCall, askForUsage: boolean): Promise<RequestBody> {
  const { doc, textBody, request, judgement } = call;
  const { edits, repair } = judgement;
  // A blocking budget counts the truth: what is only estimated, or what the client keeps quiet about, is a way around it.
  const isHeld = call.hold.reservationId !== undefined;
  const usage = (askForUsage || isHeld) && doc !== undefined ? usageRequest(doc, request, isHeld) : undefined;
  const redacted = edits.length > 0 || repair !== undefined;
  const askedForUsage = usage !== undefined;
  const cap = doc === undefined ? undefined : outputCap(doc, call);
  if (doc === undefined || (!redacted && !askedForUsage && cap === undefined)) return { askedForUsage };
  const changes = await unhurried(
    changesOf(doc, call, [
      // Where something is masked, token texts beside it would show it again.
      ...(redacted ? logprobEdits(doc) : []),
      ...(repair?.removals ?? []),
      ...(usage === undefined ? [] : [usage]),
      ...(cap === undefined ? [] : [cap]),
    ]),
  );
  const changed = textBody?.edited(changes) ?? Buffer.from(await unhurried(applyingEdits(doc.text, changes)));
  return { changed, askedForUsage };
}

function* changesOf(
  doc: JsonDocument,
  { request, judgement }: AdmittedCall,
  more: readonly TextEdit[],
): Steps<TextEdit[]> {
  const edits = yield* liftingEdits(doc, request.segments, judgement.edits);
  return yield* mergingEdits(joinedLists([edits, more]));
}
