import { eachToken, NO_FEATURE } from './features.js';

/**
 * Maximum number of different words. Two words cannot form an instruction; with a higher limit, an attacker could make parts of an
 * instruction count as repetition.
 */
const FEW_DIFFERENT = 2;

/**
 * Reduces a text of very few different words to one occurrence of each.
 *
 * @returns undefined for a text with more different words or without repetition
 */
export function withoutRepetition(text: string): string | undefined {
  const words = new Set<string>();
  const once: string[] = [];
  let count = 0;
  let from = 0;
  eachToken(text, NO_FEATURE, (start, end) => {
    count++;
    if (words.size > FEW_DIFFERENT) return;
    const word = text.slice(start, end).toLowerCase();
    if (!words.has(word)) once.push(text.slice(from, end));
    words.add(word);
    from = end;
  });
  return words.size <= FEW_DIFFERENT && count > words.size ? once.join('') : undefined;
}
