import { numberOf, type JsonNode, type ObjectNode } from '../json/json-node.js';
import type { TextEdit } from '../text/edit.js';
import { ANSWER_FIELDS, REQUEST_FIELDS } from '../call/root-readers.js';
import type { RootReading, RouteFacts } from './provider.js';

/**
 * Requests and answers of OpenAI's and Anthropic's routes, and of Weir's own events, are read by the same tables: vendors
 * serve either one's fields on the other one's routes, and a field that is not known there does no harm being read.
 */
export const SHARED_REQUEST: RootReading = { fields: REQUEST_FIELDS, role: 'other', calls: 'past' };
export const SHARED_ANSWER: RootReading = { fields: ANSWER_FIELDS, role: 'assistant', calls: 'new' };

/** The largest output that a request allows, under any name for it. */
export const SHARED_OUTPUT_LIMITS = [['max_tokens'], ['max_completion_tokens'], ['max_output_tokens']] as const;

/**
 * Where a request says what its answer's text has to look like: `response_format` (chat completions), `text.format`
 * (responses), `output_config.format` and `output_format` (messages).
 */
export const SHARED_OUTPUT_SCHEMAS = [
  ['response_format', 'json_schema', 'schema'],
  ['text', 'format', 'schema'],
  ['output_config', 'format', 'schema'],
  ['output_format', 'schema'],
] as const;

/** A dialect with one route that says nothing else. */
export function routeAt(...routes: readonly string[]): (route: string) => RouteFacts | undefined {
  return (route) => (routes.includes(route) ? {} : undefined);
}

/** How many answers `n` and `best_of` ask for. */
export function askedAnswers(root: JsonNode): number {
  return Math.max(answerCount(root, 'n'), answerCount(root, 'best_of'));
}

/** A count of answers; 1 for what is none. */
export function answerCount(root: JsonNode | undefined, key: string): number {
  const count = numberOf(root, key);
  return count !== undefined && Number.isSafeInteger(count) && count > 1 ? Math.min(count, 1_000) : 1;
}

/**
 * A limit put into an object as its last member.
 *
 * @param names under which the object may hold it; one that is there and null is replaced
 * @param name what it is called where none is there
 */
export function cappedMember(
  { members }: ObjectNode,
  names: readonly string[],
  name: string,
  tokens: number,
): TextEdit | undefined {
  const known = members.filter(({ key }) => names.includes(key.text));
  const empty = known.findLast(({ value }) => value === null);
  if (empty !== undefined) return { start: empty.start, end: empty.end, replacement: String(tokens) };
  // What is there and no number is the provider's to refuse; without any member it has no model either.
  const last = members.at(-1);
  if (known.length > 0 || last === undefined) return undefined;
  return { start: last.end, end: last.end, replacement: `,${JSON.stringify(name)}:${tokens}` };
}
