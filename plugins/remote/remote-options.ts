import { z } from 'zod';

const name = z.string().min(1).max(100);
const code = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'a code consists of letters, digits and underscores, such as PERSON');

export const remoteOptions = z.strictObject({
  /** The name of the service in the operator's settings, which contain its address. */
  service: z.string().regex(/^[a-z][a-z0-9-]{0,40}$/, 'expected the name of a service, such as presidio'),
  format: z.enum(['presidio', 'llm_guard', 'webhook']),
  /** Maps the service's names of entities to codes; a list if names and codes are the same. Other entities are not reported. */
  entities: z
    .preprocess(
      (value) =>
        Array.isArray(value) ? Object.fromEntries(value.map((entity) => [String(entity), entity as unknown])) : value,
      z.record(name, code),
    )
    .refine((entities) => Object.keys(entities).length > 0, 'name at least one entity')
    .refine((entities) => Object.keys(entities).length <= 200, 'at most 200 entities'),
  /** Path of the request below the service's address; the format has a default. */
  path: z
    .string()
    .regex(/^\/[A-Za-z0-9._~/-]{0,200}$/, 'expected a path that begins with / and has no query')
    .refine((path) => !path.split('/').includes('..'), 'expected a path without ..')
    .optional(),
  /** Maximum texts in one request; only for services that accept several. */
  batch: z.int().min(1).max(100).optional(),
  /** Presidio: the language of the texts. */
  language: z
    .string()
    .regex(/^[a-z]{2}$/, 'expected a language code of two letters, such as en')
    .default('en'),
  /** Webhook: the unit of its offsets. */
  offsets: z.enum(['utf16', 'code_points', 'utf8_bytes']).default('utf16'),
});

export type RemoteOptions = z.output<typeof remoteOptions>;
