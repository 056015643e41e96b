import type { PhrasePattern } from './phrase.js';
import { FOREIGN_PHRASES } from './phrases-foreign.js';
import { FOREIGN_REQUESTS, HIDDEN_PHRASES } from './phrases-hidden.js';
import { HIJACK_PHRASES } from './phrases-hijack.js';
import { JAILBREAK_PHRASES } from './phrases-jailbreak.js';
import { LEAK_PHRASES } from './phrases-leak.js';
import { OVERRIDE_PHRASES } from './phrases-override.js';

export const PHRASES: readonly PhrasePattern[] = [
  ...OVERRIDE_PHRASES,
  ...JAILBREAK_PHRASES,
  ...LEAK_PHRASES,
  ...HIJACK_PHRASES,
  ...FOREIGN_PHRASES,
  ...HIDDEN_PHRASES,
  ...FOREIGN_REQUESTS,
];
