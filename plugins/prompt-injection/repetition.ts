import { eachToken, NO_FEATURE } from './features.js';

/** From this share on a text repeats itself. */
const REPEATED_SHARE = 2 / 3;
/** Of so few different words each counts once: two of them in another order would be said again, too. */
const FEW_DIFFERENT = 2;

/**
 * A text without what it says again: each token that already stood behind the same one. What it says once stays, and in its order.
 *
 * @returns undefined for a text that hardly repeats itself
 */
export function withoutRepetition(text: string): string | undefined {
  const pairs = new Set<string>();
  const words = new Set<string>();
  const newPairs: string[] = [];
  const newWords: string[] = [];
  let count = 0;
  let before = '';
  let from = 0;
  eachToken(text, NO_FEATURE, (start, end) => {
    const word = text.slice(start, end).toLowerCase();
    const pair = `${before} ${word}`;
    const token = text.slice(from, end);
    if (!pairs.has(pair)) newPairs.push(token);
    if (!words.has(word)) newWords.push(token);
    pairs.add(pair);
    words.add(word);
    before = word;
    from = end;
    count++;
  });
  if (words.size <= FEW_DIFFERENT) return count > words.size ? newWords.join('') : undefined;
  return count - newPairs.length >= count * REPEATED_SHARE ? newPairs.join('') : undefined;
}
