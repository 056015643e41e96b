import type { Shape } from './shape.js';

/**
 * Calls designed to be slow: tool calls that are written in several ways at once. Clients differ in which name and which arguments they read,
 * so each counts, but their combinations must not be judged.
 */

const each = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const keyed = (count: number): object => Object.fromEntries(each(count, (i) => [`key_${i}`, `marked ${i}`]));

/** One of many spellings of a name that readers take for the same: with up to 15 underscores after each of the first five letters. */
const spelled = (name: string, i: number): string =>
  [...name].map((letter, at) => letter + (at < 5 ? '_'.repeat((i >> (4 * at)) & 15) : '')).join('');
const members = (key: string, count: number, value: (index: number) => unknown): object =>
  Object.fromEntries(each(count, (i) => [spelled(key, i), value(i)]));
/** Members with the same key. */
const names = (count: number): string => each(count, (i) => `"name":"f${i}"`).join();
const functionItem = (head: string, args: unknown): string =>
  `{"type":"function_call","call_id":"c",${head},"arguments":${JSON.stringify(JSON.stringify(args))}}`;

const SEARCH = { recipient_name: 'search', parameters: { q: 'marked' } };
const named = (n: number): object => ({
  ...members('recipientname', n, (i) => `f${i}`),
  ...members('parameters', n, (i) => `{"a":"marked ${i}"}`),
});

type Parts = Pick<Shape, 'name' | 'nodes'> & { item(entries: number): string };
const ITEMS: readonly Parts[] = [
  { name: 'names of a call and its arguments', nodes: 4, item: (n) => functionItem(names(n), keyed(n)) },
  {
    name: 'names of a call and the calls in it',
    nodes: 8,
    item: (n) => functionItem(names(n), { tool_uses: each(n, () => SEARCH) }),
  },
  {
    name: 'names and arguments of a call in a call',
    nodes: 6,
    item: (n) => functionItem('"name":"parallel"', { tool_uses: [named(n)] }),
  },
  {
    name: 'names of a call in a call and its arguments',
    nodes: 4,
    item: (n) =>
      functionItem('"name":"parallel"', {
        tool_uses: [{ ...members('recipientname', n, (i) => `f${i}`), parameters: keyed(n) }],
      }),
  },
];

/** An event with a tool call in each of its choices. */
const CHOICES: Shape = {
  name: 'openai.chat stream choices with calls in one event',
  dialect: 'openai.chat',
  direction: 'stream',
  nodes: 12,
  body: (n) => {
    const call = { index: 0, id: 'c', function: { name: 'f', arguments: '{"a":"marked"}' } };
    return `data: ${JSON.stringify({ choices: each(n, (index) => ({ index, delta: { tool_calls: [call] } })) })}\n\n`;
  },
};

/** Events whose choices have tokens that are not their texts, and then only texts. */
const HIDDEN_TOKENS: Shape = {
  name: 'openai.chat stream tokens of hidden texts in many choices',
  dialect: 'openai.chat',
  direction: 'stream',
  nodes: 18,
  body: (n) => {
    const logprobs = { content: [{ token: 'marked ', logprob: -1 }] };
    const event = (more: object): string =>
      `data: ${JSON.stringify({ choices: each(n, (index) => ({ index, delta: { content: 'words ' }, ...more })) })}\n\n`;
    return event({ logprobs }) + event({});
  },
};

/** The same items in a request, where they belong to the past, in an answer, and in a stream. */
const NAMED: readonly Shape[] = ITEMS.flatMap(({ name, nodes, item }): Shape[] => [
  {
    name: `openai.responses request ${name}`,
    dialect: 'openai.responses',
    direction: 'request',
    nodes,
    body: (n) => `{"input":[${item(n)}]}`,
  },
  {
    name: `openai.responses answer ${name}`,
    dialect: 'openai.responses',
    direction: 'answer',
    nodes,
    body: (n) => `{"output":[${item(n)}]}`,
  },
  {
    name: `openai.responses stream ${name}`,
    dialect: 'openai.responses',
    direction: 'stream',
    nodes,
    body: (n) => `data: {"type":"response.output_item.done","output_index":0,"item":${item(n)}}\n\n`,
  },
]);

export const CALL_SHAPES: readonly Shape[] = [...NAMED, CHOICES, HIDDEN_TOKENS];
