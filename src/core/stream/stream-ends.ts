import type { Dialect } from '../model/call.js';
import { memberOf } from '../json/json-node.js';
import type { Channel } from './channels.js';
import { dialectFacts } from '../providers/dialects.js';
import type { EndSign, Provider } from '../providers/provider.js';
import { LAST_OF_CONVERSE } from '../providers/own/streams.js';
import { PROVIDERS } from '../providers/providers.js';
import type { Ended, Scope } from '../providers/stream-family.js';
import { STREAM_FAMILIES } from '../providers/streams.js';
import type { StreamEvent } from './stream-event.js';

/** The texts that are complete after an event. */
export interface EndedTexts {
  /** Texts with one of these keys, as `endKeys` returns them. */
  readonly texts: 'all' | readonly string[];
  /** The key of the block or item that is complete, if one is. */
  readonly block: string | undefined;
}

const OF_PROVIDERS: readonly Provider[] = Object.values(PROVIDERS);
const EVERYTHING: EndedTexts = { texts: 'all', block: 'all' };
const CHOICE = /^choices\[\d+\]/;

/**
 * The texts that an event declares complete: those of a choice with a `finish_reason`, of a content block that stops, of
 * an output item that is done, and all of them at the end of the answer. Undefined when the event ends no text.
 */
export function endedBy(event: StreamEvent): EndedTexts | undefined {
  if (event.like !== undefined) return undefined;
  const ended = endOf(event);
  if (ended === undefined || ended === 'all') return ended && EVERYTHING;
  if (ended !== 'block') {
    return { texts: ended.choices.map((choice) => `choices[${choice}]`), block: undefined };
  }
  const block = blockKey(event.scope);
  return { texts: [block], block };
}

/** The keys by which an event may declare a text complete. */
export function endKeys({ path, scope }: Channel): string[] {
  const choice = CHOICE.exec(path)?.[0];
  const keys = isOfBlock(scope) ? [blockKey(scope)] : [];
  return choice === undefined ? keys : [choice, ...keys];
}

/** Determines the texts that an event ends. All providers' formats are tried, because events of any provider can occur on any route. */
function endOf({ event, doc, scope }: StreamEvent): Ended | undefined {
  for (const family of STREAM_FAMILIES) {
    const ended = family.endedBy(scope.type, event.data, doc?.root);
    if (ended !== undefined) return ended;
  }
  return undefined;
}

/** Whether an event declares the answer complete. */
export function isLast(event: StreamEvent): boolean {
  if (event.like !== undefined) return false;
  const sign = signOf(event);
  return sign.type === LAST_OF_CONVERSE || OF_PROVIDERS.some((provider) => provider.isLast(sign));
}

/** Whether an event declares a text or the answer complete. */
export function endsTextOrAnswer(event: StreamEvent): boolean {
  return isLast(event) || endedBy(event) !== undefined;
}

function signOf({ event, doc, scope }: StreamEvent): EndSign {
  return { data: event.data, type: scope.type, ...(doc === undefined ? {} : { root: doc.root }) };
}

/**
 * Whether a stream broke off before its provider's end marker: `[DONE]` or a choice's finish reason, `response.completed` and
 * similar events, `message_stop`, or an error. False for streams whose format has no end marker.
 */
export function breaksOff(dialect: Dialect, events: readonly StreamEvent[]): boolean {
  const { isEnd } = dialectFacts(dialect);
  if (isEnd === undefined) return false;
  return !events.some((each) => each.like === undefined && (isLast(each) || isError(each) || isEnd(signOf(each))));
}

function isError({ doc, scope }: StreamEvent): boolean {
  return scope.type === 'error' || (doc !== undefined && memberOf(doc.root, 'error') !== undefined);
}

/** Names the content block or output item that an event is about. */
export function blockKey({ family, type, index }: Scope): string {
  return `${family.blockOf(type) ?? 'item'} ${index ?? ''}`;
}

/** Whether an event is about a content block or an output item. */
export function isOfBlock({ family, type }: Scope): boolean {
  return family.blockOf(type) !== undefined;
}

/** The only choice that a block of events concerns; undefined if it concerns several, or anything else. */
export function choiceOf(events: readonly StreamEvent[]): number | undefined {
  let only: number | undefined;
  for (const event of events) {
    // `like` has the same choice, and its JSON is already parsed.
    const { doc, scope } = event.like ?? event;
    const choice = doc === undefined ? undefined : scope.family.choiceOf(doc.root);
    if (choice === undefined || (only !== undefined && only !== choice)) return undefined;
    if (!event.segments.every(({ path }) => path.startsWith(`choices[${choice}]`))) return undefined;
    only = choice;
  }
  return only;
}
