/**
 * The detector `secrets`: credentials of services by their formats, and random text next to words such as password. Each format has
 * generated examples.
 */
import { z } from 'zod';
import type { CodeInfo, DetectorMeta } from '../../src/core/plugin-api.js';
import { ACCESS_RULES } from './rules-access.js';
import { AI_RULES } from './rules-ai.js';
import { CLOUD_RULES } from './rules-cloud.js';
import { CODE_RULES } from './rules-code.js';
import { GENERIC_RULES } from './rules-generic.js';
import { HOSTING_RULES } from './rules-hosting.js';
import { MESSAGING_RULES } from './rules-messaging.js';
import { PAYMENT_RULES } from './rules-payment.js';
import { SAAS_RULES } from './rules-saas.js';
import { STRUCTURE_RULES } from './rules-structure.js';
import { TOKEN_RULES } from './rules-tokens.js';

/** All rules. Their order is that of the examples; overlapping findings are resolved by score and length. */
export const SECRET_RULES = [
  ...STRUCTURE_RULES,
  ...CLOUD_RULES,
  ...HOSTING_RULES,
  ...CODE_RULES,
  ...AI_RULES,
  ...MESSAGING_RULES,
  ...PAYMENT_RULES,
  ...SAAS_RULES,
  ...GENERIC_RULES,
  ...ACCESS_RULES,
  ...TOKEN_RULES,
];

const options = z.strictObject({});

export type Options = z.output<typeof options>;

/** The detector's description without its code, which is enough to compile policies. */
export const ABOUT = {
  id: 'secrets',
  version: '1.0.0',
  revision: 9,
  family: 'secret',
  summary: 'Finds credentials: keys, tokens, passwords and private keys of over 150 services.',
  codes: Object.fromEntries(
    SECRET_RULES.map(({ code, title }): [string, CodeInfo] => [
      code,
      { title, enabled: code !== 'password', minScore: 0.5 },
    ]),
  ),
  options,
} satisfies Omit<DetectorMeta<string, Options>, 'reach' | 'examples'>;
