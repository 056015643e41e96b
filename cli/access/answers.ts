/**
 * Reading and printing keys, tokens and the account. Secrets are only printed to a terminal, written to a new file, or returned in
 * requested JSON.
 */
import { z } from 'zod';

// Below: the responses of the routes for accounts, apps, keys and tokens.
const environment = z.enum(['development', 'staging', 'production']);
const instant = z.string().describe('RFC 3339, UTC.');

export const APPS = z.object({ data: z.array(z.object({ id: z.string(), name: z.string() })) });
export const KEY = z.object({
  id: z.string(),
  app: z.object({ id: z.string(), name: z.string() }),
  name: z.string(),
  environment,
  created_at: instant,
  expires_at: instant.nullable(),
  last_used_at: instant.nullable(),
});
export type Key = z.infer<typeof KEY>;
export const KEYS = z.object({ data: z.array(KEY) });
export const TOKEN = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  environment: environment.nullable(),
  created_at: instant,
  expires_at: instant.nullable(),
  last_used_at: instant.nullable(),
});
export const TOKENS = z.object({ data: z.array(TOKEN) });
export const ACCOUNT = z.object({
  account: z.object({ id: z.string(), email: z.string(), email_verified: z.boolean(), subscription: z.string() }),
  token: TOKEN,
  server: z.object({ version: z.string() }),
});
export const CREATED_KEY = z.object({ key: KEY, secret: z.string() });
export const ROTATED_KEY = z.object({ key: KEY, secret: z.string(), old: KEY });
export const CREATED_TOKEN = z.object({ token: TOKEN, secret: z.string() });

export const AUDIT_ENTRY = z.object({
  id: z.string(),
  at: instant,
  action: z.string(),
  actor: z.object({ kind: z.string(), id: z.string().nullable(), name: z.string().nullable() }),
  subject: z.string().nullable(),
  subject_name: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
  from: z.object({ address: z.string().nullable(), user_agent: z.string().nullable() }),
});
export const AUDIT_PAGE = z.object({ data: z.array(AUDIT_ENTRY), next_cursor: z.string().nullable() });

/** The secret in the output of `--json`. */
export const SECRET = z
  .string()
  .nullable()
  .describe('The complete credential, shown only in this output; null with --out-file.');
