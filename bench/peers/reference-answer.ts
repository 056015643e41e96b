/** Number of words of each answer, streamed or not; a stream has one text event per word. */
export const ANSWER_WORDS = 50;

const SENTENCE = ['Paris', ' is', ' the', ' capital', ' of', ' France', ' and'];

/** The words of the answer of the provider in `programs/reference-upstream.ts`; the last word is the reference of the call. */
export function answerWords(reference: string): string[] {
  const words = Array.from({ length: ANSWER_WORDS - 1 }, (_, nth) => SENTENCE[nth % SENTENCE.length] ?? '');
  // The first word of the sentence has no space, so one is added when the sentence repeats.
  return [...words.map((word, nth) => (nth > 0 && word === 'Paris' ? ' Paris' : word)), ` ${reference}`];
}
