/** Words of each answer, streamed or not: as many events of a stream carry text. */
export const ANSWER_WORDS = 50;

const SENTENCE = ['Paris', ' is', ' the', ' capital', ' of', ' France', ' and'];

/** What the provider of `programs/reference-upstream.ts` answers to a call, word by word; its last word is the call's reference. */
export function answerWords(reference: string): string[] {
  const words = Array.from({ length: ANSWER_WORDS - 1 }, (_, nth) => SENTENCE[nth % SENTENCE.length] ?? '');
  // Where the sentence begins again a space is missing.
  return [...words.map((word, nth) => (nth > 0 && word === 'Paris' ? ' Paris' : word)), ` ${reference}`];
}
