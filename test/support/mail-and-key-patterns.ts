import type { Pattern } from '../../src/core/detection/engine/pattern.js';

/** A key and an address, for tests of disguises. */
export const MAIL_AND_KEY: readonly Pattern<'KEY' | 'MAIL'>[] = [
  {
    code: 'KEY',
    regex: /(?<![A-Za-z0-9])key_[A-Za-z0-9]{12,40}(?![A-Za-z0-9_-])/,
    trigger: { on: 'literals', literals: ['key_'] },
    score: 0.9,
  },
  {
    code: 'MAIL',
    regex: /(?<![a-z0-9.])[a-z0-9.]{1,20}@[a-z0-9]{1,20}\.[a-z]{2,6}(?![a-z])/i,
    trigger: { on: 'literals', literals: ['@'], before: 20 },
    score: 0.9,
  },
];
