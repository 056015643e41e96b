import type { Pattern } from '../pattern.js';

/** A pattern with the usual properties: a literal, a boundary, and words that raise its score. */
export const ticket: Pattern<'TICKET'> = {
  code: 'TICKET',
  regex: /(?<![A-Za-z0-9])TK-\d{4}(?!\d)/,
  trigger: { on: 'literals', literals: ['TK-'] },
  score: 0.5,
  context: { words: ['case number', 'case*'], windowUnits: 20 },
};
