import { digitsOf, weightedSum } from '../../../src/core/plugin-api.js';

/** Immigration & Checkpoints Authority (Singapore): weights 2, 7, 6, 5, 4, 3, 2; series T and G start at 4, M at 3. */
export function isFin(match: string): boolean {
  const text = match.toUpperCase();
  const start = text[0] === 'T' || text[0] === 'G' ? 4 : text[0] === 'M' ? 3 : 0;
  const rest = (weightedSum(digitsOf(text), [2, 7, 6, 5, 4, 3, 2]) + start) % 11;
  if (text[0] === 'M') return text.at(-1) === 'XWUTRQPNJLK'[rest];
  const letters = text[0] === 'S' || text[0] === 'T' ? 'JZIHGFEDCBA' : 'XWUTRQPNMLK';
  return text.at(-1) === letters[rest];
}

const UEN_VALUES = 'ABCDEFGHJKLMNPQRSTUVWX0123456789';

/** Accounting and Corporate Regulatory Authority (Singapore): three formats of the unique entity number, modulus 11. */
export function isUen(match: string): boolean {
  const text = match.toUpperCase();
  const last = text.at(-1);
  if (/^\d{8}[A-Z]$/.test(text)) {
    return last === 'XMKECAWLJDB'[weightedSum(digitsOf(text), [10, 4, 9, 3, 8, 2, 7, 1]) % 11];
  }
  if (/^(?:18|19|20)\d{7}[A-Z]$/.test(text)) {
    return last === 'ZKCMDNERGWH'[weightedSum(digitsOf(text), [10, 8, 6, 4, 9, 7, 5, 3, 1]) % 11];
  }
  if (!/^[RST]\d{2}[A-Z]{2}\d{4}[A-Z]$/.test(text)) return false;
  const values = Array.from(text.slice(0, 9), (character) => UEN_VALUES.indexOf(character));
  return last === UEN_VALUES[(weightedSum(values, [4, 3, 5, 3, 10, 2, 2, 5, 7]) - 5 + 11) % 11];
}
