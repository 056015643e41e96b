import type { SegmentRole } from '../../src/core/index.js';

/** A place in a call that can contain text, and the roles that decoders may assign to the text. */
export interface Location {
  readonly name: string;
  readonly kind: 'request' | 'answer';
  readonly roles: readonly SegmentRole[];
}

const request = (name: string, ...roles: SegmentRole[]): Location => ({ name, kind: 'request', roles });
const answer = (name: string, ...roles: SegmentRole[]): Location => ({ name, kind: 'answer', roles });

/** All locations. It is an error of the matrix if a form asks a planter for text of an unlisted location. */
export const LOCATIONS: readonly Location[] = [
  request('system', 'system'),
  request('user', 'user'),
  request('user part', 'user'),
  request('earlier user', 'user'),
  request('assistant', 'assistant'),
  request('refusal', 'assistant'),
  request('participant', 'user', 'assistant'),
  request('reasoning', 'reasoning'),
  request('prompt', 'user'),
  request('image address', 'user'),
  request('file name', 'user'),
  request('tool name', 'tool_declaration'),
  request('tool description', 'tool_declaration'),
  request('tool schema', 'tool_declaration'),
  request('output schema', 'other'),
  request('past call name', 'tool_call'),
  request('past call arguments', 'tool_call'),
  request('tool result', 'tool_result'),
  request('tool result name', 'tool_result'),
  request('metadata', 'metadata'),
  request('unknown field', 'other'),
  answer('answer', 'assistant'),
  answer('answer refusal', 'assistant'),
  answer('answer reasoning', 'reasoning'),
  answer('answer field', 'assistant', 'user', 'system', 'tool_declaration', 'metadata', 'error'),
  answer('new call name', 'tool_call'),
  answer('new call arguments', 'tool_call'),
];
