/** The usual calls of the benches: a prompt of about 1,300 characters, new in each call by default. */
import { seededRandom } from '../test/support/seeded-random.js';

const WORDS =
  `the team looked at release plan agreed to move review Thursday and asked for numbers of last quarter before they
  write to customers about new prices in spring while open questions stay with finance until somebody has time`.split(
    /\s+/,
  );
let calls = 0;

/** @param repeated percentage of calls that send one of a hundred recurring texts */
function prompt(repeated: number): string {
  calls += 1;
  const isRepeated = (calls * 37) % 100 < repeated;
  const random = seededRandom(isRepeated ? calls % 100 : calls + 1_000);
  const words = Array.from({ length: 220 }, () => WORDS[Math.floor(random() * WORDS.length)]!);
  return `Summarise these notes in three bullet points and name the open questions. ${words.join(' ')}.`;
}

const chatOf = (text: string): object => ({
  model: 'gpt-4o',
  messages: [
    { role: 'system', content: 'You are a careful assistant.' },
    { role: 'user', content: text },
  ],
});

/** The body of a chat. */
export const chatBody = (repeated = 0): string => JSON.stringify(chatOf(prompt(repeated)));

/**
 * The body of a chat whose text is new and contains a reference, which the provider of `programs/reference-upstream.ts` repeats in its
 * answer, so that each answer can be matched to its call.
 */
export const referringChatBody = (reference: string, streamed: boolean): string =>
  JSON.stringify({ ...chatOf(`${prompt(0)} Reference ${reference}.`), ...(streamed ? { stream: true } : {}) });

/** The same call as a submitted event. */
export const eventBody = (repeated = 0): string =>
  JSON.stringify({
    type: 'ai.request',
    request_id: 'bench',
    provider: 'openai',
    model: 'gpt-4o',
    metadata: { team: 'search', user: 'u-1' },
    payload: chatOf(prompt(repeated)),
  });
