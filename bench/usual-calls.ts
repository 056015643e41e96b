/**
 * The usual calls of the benches. Like those of applications, each has its own text, answer and id, and all have the same provider key:
 * values that repeat where those of applications do not would be answered from caches.
 */
import { seededRandom } from '../test/support/seeded-random.js';

const WORDS =
  `the team looked at release plan agreed to move review Thursday and asked for numbers of last quarter before they
  write to customers about new prices in spring while open questions stay with finance until somebody has time`.split(
    /\s+/,
  );
const PROMPT_WORDS = 220;
const ANSWER_WORDS = 107;
/** Seeds of answers; those of prompts are smaller, so that no answer repeats a prompt. */
const FIRST_ANSWER = 1_000_000_000;
/** Calls of an application whose answer is not submitted yet: more than connections, so that a request arrives before its answer. */
const OPEN_CALLS = 64;

let calls = 0;
let answers = 0;
let ids = 0;

const wordsOf = (seed: number, count: number): string => {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)]!).join(' ');
};

/** Letters without vowels form no words, and without digits no numbers: no detector finds anything in them. */
const lettersOf = (seed: number, length: number): string => {
  const random = seededRandom(seed);
  const letters = 'bcdfghjklmnpqrstvwxz';
  return Array.from({ length }, () => letters[Math.floor(random() * letters.length)]!).join('');
};

/** The key that callers of the proxy send to their provider: as long as those of the usual providers. */
export const PROVIDER_KEY = ['sk', 'proj', lettersOf(FIRST_ANSWER, 156)].join('-');

/** A new id of a call, in a form that detectors have to scan, unlike a UUID. */
const newId = (prefix: string): string => {
  ids += 1;
  return `${prefix}-${lettersOf(ids, 24)}`;
};

/** @param repeated percentage of calls that send one of a hundred recurring texts */
function prompt(repeated: number): string {
  calls += 1;
  const isRepeated = (calls * 37) % 100 < repeated;
  const words = wordsOf(isRepeated ? calls % 100 : calls + 1_000, PROMPT_WORDS);
  return `Summarise these notes in three bullet points and name the open questions. ${words}.`;
}

const newAnswer = (): string => `Here are the points: ${wordsOf(FIRST_ANSWER + (answers += 1), ANSWER_WORDS)}.`;

const chatOf = (text: string): object => ({
  model: 'gpt-4o',
  messages: [
    { role: 'system', content: 'You are a careful assistant.' },
    { role: 'user', content: text },
  ],
});

/** The body of a chat, with a prompt of about 1,300 characters, new in each call by default. */
export const chatBody = (repeated = 0): string => JSON.stringify(chatOf(prompt(repeated)));

/** A provider's answer to a chat, of about 620 characters, new in each call. */
export const answerBody = (): string =>
  JSON.stringify({
    id: newId('chatcmpl'),
    object: 'chat.completion',
    created: 1,
    model: 'gpt-4o',
    choices: [{ index: 0, message: { role: 'assistant', content: newAnswer() }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 200, completion_tokens: 140, total_tokens: 340 },
  });

/**
 * The body of a chat whose text is new and contains a reference, which the provider of `programs/reference-upstream.ts` repeats in its
 * answer, so that each answer can be matched to its call.
 */
export const referringChatBody = (reference: string, streamed: boolean): string =>
  JSON.stringify({ ...chatOf(`${prompt(0)} Reference ${reference}.`), ...(streamed ? { stream: true } : {}) });

const eventOf = (type: string, id: string, payload: object): string =>
  JSON.stringify({
    type,
    request_id: id,
    provider: 'openai',
    model: 'gpt-4o',
    metadata: { team: 'search', user: 'u-1' },
    payload,
  });

const requestEvent = (id: string, repeated: number): string => eventOf('ai.request', id, chatOf(prompt(repeated)));

const answerEvent = (id: string): string =>
  eventOf('ai.response', id, { output: newAnswer(), usage: { prompt_tokens: 200, completion_tokens: 140 } });

/** The same chat as a submitted event of a new call. */
export const eventBody = (repeated = 0): string => requestEvent(newId('call'), repeated);

/**
 * Returns a function that creates the events of an application in their order: for each call its request and, after those of some other
 * calls, its answer with the same request id. Each measured service needs its own, so that it receives both events of a call.
 */
export function eventBodies(repeated = 0): () => string {
  const open: string[] = [];
  return () => {
    const answered = open.length > OPEN_CALLS ? open.shift() : undefined;
    if (answered !== undefined) return answerEvent(answered);
    const id = newId('call');
    open.push(id);
    return requestEvent(id, repeated);
  };
}
