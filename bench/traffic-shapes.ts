/**
 * The three kinds of calls of the benches, modelled on the traffic of applications: a turn of a chat, a step of an agent with its tools and
 * their results, and a question with retrieved documents. A text depends only on its seed.
 */
import { seededRandom } from '../test/support/seeded-random.js';
import {
  address,
  bullets,
  city,
  code,
  Draw,
  figures,
  foreign,
  instant,
  noun,
  paragraph,
  person,
  record,
  ticket,
  url,
} from './made-prose.js';

export const SHAPES = ['chat', 'agent', 'rag'] as const;
export type TrafficShape = (typeof SHAPES)[number];

/** The members of a request's body that depend on the shape. */
export interface Prompt {
  readonly messages: readonly object[];
  readonly tools?: readonly object[];
}

/** The message of an answer. */
export interface AnswerMessage {
  readonly role: 'assistant';
  readonly content: string;
  readonly tool_calls?: readonly object[];
}

/** An application sends the same instructions and tools with every call, so these are constant. */
const INSTRUCTIONS: Readonly<Record<TrafficShape, string>> = {
  chat: `You are the assistant of a company that sells office furniture and repairs it. Answer in the language of the question, in at most
    six sentences, with a list when there are several steps. Say so when you do not know something, and do not invent prices.`,
  agent: `You work on tickets of a shop. Find out what happened with the tools, one at a time, then write a short summary for the person
    who opened the ticket. Amounts are in euros. Do not promise refunds: a person decides about them. Stop after eight steps.`,
  rag: `Answer the question only from the documents. Name the document behind each statement in brackets, such as [2]. If the documents
    contradict each other, give both statements with their dates. If they do not contain the answer, say so.`,
};

const parameter = (description: string): object => ({ type: 'string', description });
const tool = (name: string, description: string, properties: Readonly<Record<string, object>>): object => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object', properties, required: Object.keys(properties) } },
});

const TOOLS: readonly object[] = [
  tool('search_orders', 'Finds orders by words, city or status, newest first.', {
    query: parameter('Words of the order or its note.'),
    status: parameter('One of open, paid, sent, returned.'),
  }),
  tool('read_page', 'Reads a page of the handbook.', { url: parameter('Address of the page.') }),
  tool('get_metrics', 'Returns the values of a metric for one day.', {
    metric: parameter('Name of the metric.'),
    day: parameter('Day as YYYY-MM-DD.'),
  }),
  tool('create_ticket', 'Opens a ticket for another team.', {
    title: parameter('One line.'),
    text: parameter('What happened, and what was tried.'),
  }),
];

/** The tools that the made-up agent uses, each with made-up arguments. */
const USES: readonly ((draw: Draw) => readonly [name: string, args: object])[] = [
  (draw) => ['search_orders', { query: `${noun(draw)} ${city(draw)}`, status: draw.of(['open', 'paid', 'returned']) }],
  (draw) => ['read_page', { url: url(draw) }],
  (draw) => ['get_metrics', { metric: `${noun(draw)}.${noun(draw)}`, day: instant(draw).slice(0, 10) }],
];

const LETTERS = [...'bcdfghjklmnpqrstvwxz'];

/** Letters without vowels form no words, and without digits no numbers: no detector finds anything in them. */
export function lettersOf(draw: Draw, length: number): string {
  return Array.from({ length }, () => draw.of(LETTERS)).join('');
}

const toolCall = (draw: Draw): { readonly id: string; readonly type: 'function'; readonly function: object } => {
  const [name, args] = draw.of(USES)(draw);
  return { id: `call_${lettersOf(draw, 24)}`, type: 'function', function: { name, arguments: JSON.stringify(args) } };
};

const chat = (draw: Draw, addresses: readonly string[]): readonly object[] => [
  { role: 'user', content: paragraph(draw, draw.between(80, 260)) },
  { role: 'assistant', content: paragraph(draw, draw.between(200, 500)) },
  {
    role: 'user',
    content: [
      `${paragraph(draw, draw.between(300, 900))} ${foreign(draw)}`,
      ...addresses.map((one) => `${person(draw)} (${one}) needs the answer as well.`),
      `What should we do about ${ticket(draw)}? Answer in three points.`,
    ].join('\n\n'),
  },
];

function agent(draw: Draw, addresses: readonly string[]): readonly object[] {
  const steps = Array.from({ length: 3 }, (_, step) => {
    const asked = toolCall(draw);
    const rows = Array.from({ length: draw.between(2, 4) }, (_row, row) =>
      record(draw, row === 0 ? addresses[step] : undefined),
    );
    const content = JSON.stringify({ took_ms: draw.between(3, 900), next: null, rows });
    return [
      { role: 'assistant', content: null, tool_calls: [asked] },
      { role: 'tool', tool_call_id: asked.id, content },
    ];
  });
  const task = `${ticket(draw)} by ${person(draw)}, ${instant(draw)}: ${paragraph(draw, draw.between(150, 400))}`;
  return [{ role: 'user', content: `${task} ${foreign(draw)}` }, ...steps.flat()];
}

function rag(draw: Draw, addresses: readonly string[]): readonly object[] {
  const documents = Array.from({ length: draw.between(3, 5) }, (_, nth) => {
    const email = addresses[nth];
    const owner = email === undefined ? person(draw) : `${person(draw)} <${email}>`;
    const extra = draw.of([figures, code, bullets]);
    return [
      `[${nth + 1}] ${url(draw)}, changed ${instant(draw)} by ${owner}`,
      `${paragraph(draw, draw.between(500, 1_100))} ${foreign(draw)}`,
      extra(draw, draw.between(3, 6)),
    ].join('\n');
  });
  const question = paragraph(draw, draw.between(60, 200));
  return [{ role: 'user', content: `Documents:\n\n${documents.join('\n\n')}\n\nQuestion: ${question}` }];
}

const MESSAGES = { chat, agent, rag } as const;
/** No shape has fewer places for addresses: the tool results of an agent, and the documents. */
export const MOST_ADDRESSES = 3;

/** @param addresses number of e-mail addresses in the prompt, at most {@link MOST_ADDRESSES} */
export function promptOf(shape: TrafficShape, seed: number, addresses: number): Prompt {
  const draw = new Draw(seededRandom(seed));
  const made = Array.from({ length: Math.min(addresses, MOST_ADDRESSES) }, () => address(draw));
  const system = { role: 'system', content: INSTRUCTIONS[shape].replaceAll(/\s+/g, ' ') };
  return {
    messages: [system, ...MESSAGES[shape](draw, made)],
    ...(shape === 'agent' ? { tools: TOOLS } : {}),
  };
}

/** The answer to a prompt of a shape. Half of the answers to agents use a tool. It consists of ASCII characters. */
export function answerMessage(shape: TrafficShape, seed: number): AnswerMessage {
  const draw = new Draw(seededRandom(seed));
  if (shape === 'agent') {
    const content = paragraph(draw, draw.between(60, 300));
    return { role: 'assistant', content, ...(draw.below(2) === 0 ? { tool_calls: [toolCall(draw)] } : {}) };
  }
  const text = `${paragraph(draw, draw.between(150, 400))}\n\n${bullets(draw, 3)}`;
  return { role: 'assistant', content: shape === 'rag' ? `${text}\n\nSources: [1], [3]` : text };
}

/** A text for streamed answers, with at least the given number of characters. */
export const longAnswer = (seed: number, length: number): string => paragraph(new Draw(seededRandom(seed)), length);
