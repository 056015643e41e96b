import { isArray, memberOf, numberOf, stringOf, type JsonNode } from '../json/json-node.js';
import type { Channel } from './channels.js';
import { END_MARK, type StreamEvent } from './stream-reader.js';

/** Whether a channel, or the block or item with this index, is complete after an event. */
export interface EndedTexts {
  channel(channel: Channel): boolean;
  block(type: string, index: number | undefined): boolean;
}

const NOTHING: EndedTexts = { channel: () => false, block: () => false };
const EVERYTHING: EndedTexts = { channel: () => true, block: () => true };
const LAST_EVENTS = new Set([
  'message_delta',
  'message_stop',
  'response.completed',
  'response.incomplete',
  'response.failed',
]);

/**
 * The texts that an event says are complete: those of a choice with a `finish_reason`, of a content block that stops, of
 * an output item that is done, and all of them at the end of the answer.
 */
export function endedBy({ event, doc, scope }: StreamEvent): EndedTexts {
  if (doc === undefined) return event.data === END_MARK ? EVERYTHING : NOTHING;
  if (LAST_EVENTS.has(scope.type)) return EVERYTHING;
  const { index } = scope;
  if (scope.type === 'content_block_stop') return inBlock(/^content_block_/, index);
  if (scope.type === 'response.output_item.done') return inBlock(/^response\./, index);
  const finished = finishedChoices(doc.root);
  if (finished.length === 0) return NOTHING;
  return {
    channel: ({ path }) => finished.some((choice) => path.startsWith(`choices[${choice}]`)),
    block: () => false,
  };
}

/** Whether an event tells clients that the answer is complete. */
export function isLast({ event, doc, scope }: StreamEvent): boolean {
  if (doc === undefined) return event.data === END_MARK;
  return scope.type !== 'message_delta' && LAST_EVENTS.has(scope.type);
}

function inBlock(types: RegExp, index: number | undefined): EndedTexts {
  const block = (type: string, of: number | undefined): boolean => types.test(type) && of === index;
  return { block, channel: ({ scope }) => block(scope.type, scope.index) };
}

function finishedChoices(root: JsonNode): number[] {
  const choices = memberOf(root, 'choices');
  if (choices === undefined || !isArray(choices)) return [];
  return choices.items.flatMap((choice, position) => {
    const reason = stringOf(choice, 'finish_reason');
    return reason === undefined || reason === '' ? [] : [numberOf(choice, 'index') ?? position];
  });
}
