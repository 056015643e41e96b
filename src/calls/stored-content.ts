/** The stored part of a proxied call's body, and the data stored with it. */
import {
  markingStored,
  maskingAll,
  Numbering,
  numbersOf,
  rulesOfMasks,
  type DecodedCall,
  type Mask,
} from '../core/index.js';
import { runCooperatively, type Judgement } from '../judgement/index.js';
import type { StoredBody } from './answer-contents.js';
import type { EventContent } from './call-pipeline.js';
import type { AdmittedCall, ProxiedCall } from './proxied-call.js';

interface StoredCall {
  /** The call with the texts of its files, in addition to its own. */
  readonly call: DecodedCall;
  readonly masks: readonly Mask[];
  /** Absent for a body that no rule judges. */
  readonly judgement?: Judgement;
  readonly numbering: Numbering | null;
}

/** @param stored the body in its form for the log; undefined when there is none */
export async function storedContentOf(
  { policy }: Pick<ProxiedCall, 'policy'>,
  stored: StoredBody | undefined,
  { call, masks, judgement, numbering }: StoredCall,
): Promise<Pick<EventContent, 'payload' | 'marks'>> {
  if (stored === undefined || policy.policy.content === 'none') return {};
  const { payload, form } = stored;
  if (form === undefined) return { payload };
  // The rules that fired are needed only if something is masked.
  const fired = masks.length === 0 ? [] : (judgement?.fired ?? []);
  const ruleOf = rulesOfMasks(fired, call.newToolCalls);
  const { segments } = call;
  return { payload, marks: await runCooperatively(markingStored({ form, segments, masks, ruleOf, numbering })) };
}

/** The numbers of masked values in the request: equal values in its answer get the same numbers. */
export async function numbersOfRequest({ request, judgement }: AdmittedCall): Promise<Numbering> {
  const { segments } = request;
  const numbering = new Numbering();
  const masks = await runCooperatively(maskingAll(judgement.findings, segments));
  await runCooperatively(numbersOf({ segments, masks, numbering }));
  return numbering;
}
