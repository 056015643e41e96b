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
import { runCooperatively } from '../judgement/index.js';
import type { AdmittedCall, ProxiedCall } from './proxied-call.js';
import { outputCap } from './output-cap.js';
import { usageRequest } from './usage-request.js';

/** Whether a stream is requested with token counts, which must then be removed from it again. */
export type AskForUsage = 'always' | 'when_held' | 'never';

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
 * @param askForUsage when a stream is to report its token counts although its client did not ask for them
 */
export async function requestBody(call: AdmittedCall, askForUsage: AskForUsage): Promise<RequestBody> {
  const { changes, askedForUsage } = await requestChanges(call, askForUsage);
  return { askedForUsage, ...(changes === undefined ? {} : { changed: await changedBody(call, changes) }) };
}

/** A body with changes made. */
export async function changedBody(
  { doc, textBody }: Pick<ProxiedCall, 'doc' | 'textBody'>,
  changes: readonly TextEdit[],
): Promise<Buffer> {
  if (doc === undefined) throw new Error('a body without texts has nothing that could be changed');
  if (textBody !== undefined) return runCooperatively(textBody.editing(changes));
  return Buffer.from(await runCooperatively(applyingEdits(doc.text, changes)));
}

/** What is changed in a body that goes on; no changes when nothing is. */
export async function requestChanges(
  call: AdmittedCall,
  askForUsage: AskForUsage,
): Promise<{ readonly changes?: readonly TextEdit[]; readonly askedForUsage: boolean }> {
  const { doc, request, judgement } = call;
  const { edits, repair } = judgement;
  // A blocking budget counts the truth: what is only estimated, or what the client keeps quiet about, is a way around it.
  const isHeld = call.hold.reservationId !== undefined;
  const asks = askForUsage === 'always' || (askForUsage === 'when_held' && isHeld);
  const usage = asks && doc !== undefined ? usageRequest(doc, request, isHeld) : undefined;
  const redacted = edits.length > 0 || repair !== undefined;
  const askedForUsage = usage !== undefined;
  const cap = doc === undefined ? undefined : outputCap(doc, call);
  if (doc === undefined || (!redacted && !askedForUsage && cap === undefined)) return { askedForUsage };
  const changes = await runCooperatively(
    changesOf(doc, call, [
      // Where something is masked, token texts beside it would show it again.
      ...(redacted ? logprobEdits(doc) : []),
      ...(repair?.removals ?? []),
      ...(usage === undefined ? [] : [usage]),
      ...(cap === undefined ? [] : [cap]),
    ]),
  );
  return { changes, askedForUsage };
}

function* changesOf(
  doc: JsonDocument,
  { request, judgement }: AdmittedCall,
  more: readonly TextEdit[],
): Steps<readonly TextEdit[]> {
  const edits = yield* liftingEdits(doc, request.segments, judgement.edits);
  return yield* mergingEdits(joinedLists([edits, more]));
}
