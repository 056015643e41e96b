import { z } from 'zod';
import { ENVIRONMENTS } from '../core/index.js';

/** The answers of probes; `ReadinessReport` is the type of the second one. */
const digest = z.string().describe('SHA-256 of the active policy, in hex.');
const policy = z.strictObject({
  policy: z.string(),
  digest,
  version: z.string(),
  stale: z.boolean().describe('True if the files on disk do not compile, so that an earlier policy stays active.'),
});

export const ALIVE = z.strictObject({ status: z.literal('ok') });
export const READY = z.strictObject({
  status: z.literal('ready'),
  database: z.enum(['ok', 'unreachable']),
  read_replica: z
    .enum(['ok', 'behind', 'away'])
    .optional()
    .describe(
      'State of the server in DATABASE_READ_URL; absent without this setting. If the state is `behind` or `away`, reads go to the primary.',
    ),
  policies: z
    .strictObject({ development: policy.optional(), staging: policy.optional(), production: policy.optional() })
    .describe('Policies of the policies folder, which apply to accounts without deployments.'),
  deployed: z.array(
    z.strictObject({
      environment: z.enum(ENVIRONMENTS),
      digest: digest.nullable(),
      version: z.string().nullable(),
      accounts: z.int(),
    }),
  ),
});
