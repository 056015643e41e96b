import {
  applyingEdits,
  emptyingLogprobs,
  joinedLists,
  liftingEdits,
  mergingEdits,
  type JsonDocument,
  type Steps,
  type TextEdit,
} from '../core/index.js';
import { writingUtf8 } from '../contents/index.js';
import { runCooperatively } from '../judgement/index.js';
import type { AdmittedCall, ProxiedCall } from './proxied-call.js';
import { outputCap } from './output-cap.js';
import { usageRequest } from './usage-request.js';

/** When a stream is requested with token counts, which must then be removed from the stream again. */
export type AskForUsage = 'always' | 'when_held' | 'never';

/** The body with which a judged request is forwarded. */
export interface RequestBody {
  /** Absent if nothing changes and the body came without a content coding: then the client's own bytes are forwarded. */
  readonly changed?: Buffer;
  /** Whether Weir requested token counts that the client does not expect. */
  readonly askedForUsage: boolean;
}

/**
 * The body with which a judged request is forwarded: the client's text with redacted ranges replaced and blocked turns
 * removed, and all other characters unchanged. It has no content coding, so that it consists of exactly the bytes that were judged.
 *
 * @param askForUsage when a stream is to report its token counts although its client did not ask for them
 */
export async function requestBody(call: AdmittedCall, askForUsage: AskForUsage): Promise<RequestBody> {
  const { changes, askedForUsage } = await requestChanges(call, askForUsage);
  const changed = changes === undefined ? call.plainBody : await changedBody(call, changes);
  return { askedForUsage, ...(changed === undefined ? {} : { changed }) };
}

/** The body without content coding, with the changes applied. */
export async function changedBody(
  { doc, textBody, plainBody }: Pick<ProxiedCall, 'doc' | 'textBody' | 'plainBody'>,
  changes: readonly TextEdit[],
): Promise<Buffer> {
  if (changes.length === 0 && plainBody !== undefined) return plainBody;
  if (doc === undefined) throw new Error('a body without texts has nothing that could be changed');
  if (textBody !== undefined) return runCooperatively(textBody.editing(changes));
  return runCooperatively(changingJson(doc, changes));
}

function* changingJson(doc: JsonDocument, changes: readonly TextEdit[]): Steps<Buffer> {
  return yield* writingUtf8(yield* applyingEdits(doc.text, changes));
}

/** The changes of a body that is forwarded; undefined if there are none. */
export async function requestChanges(
  call: AdmittedCall,
  askForUsage: AskForUsage,
): Promise<{ readonly changes?: readonly TextEdit[]; readonly askedForUsage: boolean }> {
  const { doc, request, judgement } = call;
  const { edits, repair } = judgement;
  // A blocking budget needs reported token counts, even if the client has declined them: with estimates only, it could be evaded.
  const isHeld = call.hold.reservationId !== undefined;
  const asks = askForUsage === 'always' || (askForUsage === 'when_held' && isHeld);
  const usage = asks && doc !== undefined ? usageRequest(doc, request, isHeld) : undefined;
  const redacted = edits.length > 0 || repair !== undefined;
  const askedForUsage = usage !== undefined;
  const cap = doc === undefined ? undefined : outputCap(doc, call);
  if (doc === undefined || (!redacted && !askedForUsage && cap === undefined)) return { askedForUsage };
  const changes = await runCooperatively(
    changesOf(doc, call, redacted, [
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
  redacted: boolean,
  more: readonly TextEdit[],
): Steps<readonly TextEdit[]> {
  const edits = yield* liftingEdits(doc, request.segments, judgement.edits);
  // Token texts next to a masked text would reveal it.
  const tokens = redacted ? yield* emptyingLogprobs(doc, 'request') : [];
  return yield* mergingEdits(joinedLists([edits, tokens, more]));
}
