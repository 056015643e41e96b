import type { Dialect } from '../../model/call.js';
import { chunk, frame } from './provider-streams.js';

/** Arguments of a call, in the pieces in which they arrive. */
export type Pieces = readonly string[];

/** How a provider streams tool calls: the events that begin a call, that contain a piece, and that end the call and the answer. */
export interface ToolProvider {
  readonly dialect: Dialect;
  /** Whether pieces of several calls can alternate. */
  readonly interleaves: boolean;
  begin(call: number): string;
  piece(call: number, text: string): string;
  /** The event that ends the call; empty if only the end of the answer ends it. */
  end(call: number, args: string): string;
  /** The events that end the answer. */
  finish(calls: readonly string[]): string;
}

const NAME = 'search';

function chat(choiceOf: (call: number) => number, indexOf: (call: number) => number): ToolProvider {
  const delta = (call: number, more: object): string =>
    chunk([{ index: choiceOf(call), delta: { tool_calls: [{ index: indexOf(call), ...more }] } }]);
  return {
    dialect: 'openai.chat',
    interleaves: true,
    begin: (call) => delta(call, { id: `call_${call}`, type: 'function', function: { name: NAME, arguments: '' } }),
    piece: (call, text) => delta(call, { function: { arguments: text } }),
    end: () => '',
    finish: (calls) =>
      [...new Set(calls.map((_, call) => choiceOf(call)))]
        .map((index) => chunk([{ index, delta: {}, finish_reason: 'tool_calls' }]))
        .join('') + 'data: [DONE]\n\n',
  };
}

const named = (type: string, more: object): string => frame({ type, ...more }, type);
const item = (call: number, args: string): object => ({
  type: 'function_call',
  id: `fc_${call}`,
  call_id: `call_${call}`,
  name: NAME,
  arguments: args,
});

/** https://platform.openai.com/docs/api-reference, https://docs.anthropic.com/en/docs/build-with-claude/streaming */
export const TOOL_PROVIDERS: Record<string, ToolProvider> = {
  'calls of one choice of a chat': chat(
    () => 0,
    (call) => call,
  ),
  'calls of several choices of a chat': chat(
    (call) => call,
    () => 0,
  ),
  'the old function call of a chat': {
    ...chat(
      (call) => call,
      () => 0,
    ),
    begin: (call) => chunk([{ index: call, delta: { function_call: { name: NAME, arguments: '' } } }]),
    piece: (call, text) => chunk([{ index: call, delta: { function_call: { arguments: text } } }]),
  },
  'items of a response': {
    dialect: 'openai.responses',
    interleaves: true,
    begin: (call) => named('response.output_item.added', { output_index: call, item: item(call, '') }),
    piece: (call, delta) =>
      named('response.function_call_arguments.delta', { item_id: `fc_${call}`, output_index: call, delta }),
    end: (call, args) =>
      named('response.function_call_arguments.done', { item_id: `fc_${call}`, output_index: call, arguments: args }) +
      named('response.output_item.done', { output_index: call, item: item(call, args) }),
    finish: (calls) =>
      named('response.completed', { response: { output: calls.map((args, call) => item(call, args)) } }),
  },
  'blocks of messages': {
    dialect: 'anthropic.messages',
    interleaves: true,
    begin: (call) =>
      named('content_block_start', {
        index: call,
        content_block: { type: 'tool_use', id: `toolu_${call}`, name: NAME, input: {} },
      }),
    piece: (call, partial_json) =>
      named('content_block_delta', { index: call, delta: { type: 'input_json_delta', partial_json } }),
    end: (call) => named('content_block_stop', { index: call }),
    finish: () =>
      named('message_delta', { delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 9 } }) +
      named('message_stop', {}),
  },
};

/**
 * The events of an answer with several calls.
 * @param order the calls whose events come first, in this order; then the remaining events of each call follow
 */
export function toolEvents(provider: ToolProvider, calls: readonly Pieces[], order: readonly number[] = []): string[] {
  const events: string[] = [];
  const at = calls.map(() => -1);
  const next = (call: number): void => {
    const position = at[call]!++;
    const pieces = calls[call]!;
    if (position < 0) events.push(provider.begin(call));
    else if (position < pieces.length) events.push(provider.piece(call, pieces[position]!));
    else if (position === pieces.length) events.push(provider.end(call, pieces.join('')));
  };
  if (provider.interleaves) for (const each of order) next(each % calls.length);
  calls.forEach((pieces, call) => {
    while (at[call]! <= pieces.length) next(call);
  });
  return [...events.filter((event) => event !== ''), provider.finish(calls.map((pieces) => pieces.join('')))];
}
