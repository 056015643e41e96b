import type { Dialect } from '../model/call.js';
import { isArray, memberOf, numberOf, stringOf, type JsonNode } from '../json/json-node.js';
import { CHOICES } from './continuing-texts.js';
import type { Channel } from './channels.js';
import type { Scope } from './scope.js';
import { END_MARK } from '../providers/openai/index.js';
import { dialectFacts } from '../providers/dialects.js';
import type { EndSign, Provider } from '../providers/provider.js';
import { PROVIDERS } from '../providers/providers.js';
import type { StreamEvent } from './stream-event.js';

/** What is complete after an event. */
export interface EndedTexts {
  channel(channel: Channel): boolean;
  /** The key of the block or item that is, if one is. */
  readonly block: string | 'all' | undefined;
}

const OF_PROVIDERS: readonly Provider[] = Object.values(PROVIDERS);
const EVERYTHING: EndedTexts = { channel: () => true, block: 'all' };
const LAST_EVENTS = new Set([
  'message_delta',
  'message_stop',
  'response.completed',
  'response.incomplete',
  'response.failed',
]);

/**
 * The texts that an event says are complete: those of a choice with a `finish_reason`, of a content block that stops, of
 * an output item that is done, and all of them at the end of the answer. Undefined when it ends nothing.
 */
export function endedBy({ event, doc, scope }: StreamEvent): EndedTexts | undefined {
  if (doc === undefined) return event.data === END_MARK ? EVERYTHING : undefined;
  if (LAST_EVENTS.has(scope.type)) return EVERYTHING;
  if (scope.type === 'content_block_stop' || scope.type === 'response.output_item.done') {
    const block = blockKey(scope);
    return { channel: (channel) => isOfBlock(channel.scope) && blockKey(channel.scope) === block, block };
  }
  const finished = finishedChoices(doc.root);
  if (finished.length === 0) return undefined;
  return {
    channel: ({ path }) => finished.some((choice) => path.startsWith(`choices[${choice}]`)),
    block: undefined,
  };
}

/** Whether an event tells clients that the answer is complete. */
export function isLast(event: StreamEvent): boolean {
  const sign = signOf(event);
  return OF_PROVIDERS.some((provider) => provider.isLast(sign));
}

function signOf({ event, doc, scope }: StreamEvent): EndSign {
  return { data: event.data, type: scope.type, ...(doc === undefined ? {} : { root: doc.root }) };
}

/**
 * Whether a stream broke off before the end that its provider tells: `[DONE]` or the reason that a choice is finished
 * for, `response.completed` and the like, `message_stop`, or an error. False for streams that tell none.
 */
export function breaksOff(dialect: Dialect, events: readonly StreamEvent[]): boolean {
  const { isEnd } = dialectFacts(dialect);
  if (isEnd === undefined) return false;
  return !events.some((each) => isLast(each) || isError(each) || isEnd(signOf(each)));
}

function isError({ doc, scope }: StreamEvent): boolean {
  return scope.type === 'error' || (doc !== undefined && memberOf(doc.root, 'error') !== undefined);
}

/** Names the content block or output item that an event is about. */
export function blockKey({ type, index }: Scope): string {
  return `${type.startsWith('content_block_') ? 'content_block' : 'item'} ${index ?? ''}`;
}

function isOfBlock({ type }: Scope): boolean {
  return type.startsWith('content_block_') || type.startsWith('response.');
}

/** The one choice that a block of events is about; undefined when it is about several, or about anything else. */
export function choiceOf(events: readonly StreamEvent[]): number | undefined {
  let only: number | undefined;
  for (const { doc, scope, segments } of events) {
    const choices = doc === undefined || scope.key !== CHOICES ? undefined : memberOf(doc.root, 'choices');
    if (choices === undefined || !isArray(choices) || choices.items.length !== 1) return undefined;
    const choice = numberOf(choices.items[0]!, 'index') ?? 0;
    if (only !== undefined && only !== choice) return undefined;
    if (!segments.every(({ path }) => path.startsWith(`choices[${choice}]`))) return undefined;
    only = choice;
  }
  return only;
}

function finishedChoices(root: JsonNode): number[] {
  const choices = memberOf(root, 'choices');
  if (choices === undefined || !isArray(choices)) return [];
  return choices.items.flatMap((choice, position) => {
    const reason = stringOf(choice, 'finish_reason');
    return reason === undefined || reason === '' ? [] : [numberOf(choice, 'index') ?? position];
  });
}
