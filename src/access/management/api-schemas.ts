import { z } from 'zod';
import { ACTOR_KINDS } from '../../admin-audit/index.js';
import { ENVIRONMENTS, nameUpTo, TOKEN_SCOPES } from '../../core/index.js';

/** The bodies of the routes of accounts, apps, keys and tokens. */
const MAX_NAME = 100;
const name = nameUpTo(MAX_NAME).describe('Name shown in lists, logs and events.');
const environment = z.enum(ENVIRONMENTS);
const instant = z.string().describe('RFC 3339, UTC.');
const future = z.iso.datetime({ offset: true, error: 'must be an RFC 3339 time with offset' });

export const NEW_APP = z.strictObject({ name }).meta({ id: 'NewApp' });
export const APP = z.strictObject({ id: z.uuid(), name: z.string(), created_at: instant }).meta({ id: 'App' });
export const APPS = z.strictObject({ data: z.array(APP) }).meta({ id: 'Apps' });

export const NEW_KEY = z
  .strictObject({
    name,
    environment: environment.describe(
      'Environment of the key, which is the effective environment of every call with the key.',
    ),
    expires_at: future.nullish().describe('Time when the key stops working. Default: it works until it is deleted.'),
  })
  .meta({ id: 'NewKey' });
export const KEY = z
  .strictObject({
    id: z.string().describe('Public id of the key, shown in logs and events.'),
    app: z.strictObject({ id: z.uuid(), name: z.string() }),
    name: z.string(),
    environment,
    created_at: instant,
    created_by: z
      .strictObject({
        kind: z.enum(ACTOR_KINDS),
        id: z.string().nullable(),
        name: z.string().nullable().describe('E-mail address of the person, or name of the token.'),
      })
      .nullable()
      .describe(
        'Person or token that created the key, either directly or by rotating an older key; null if the audit log does not contain this action.',
      ),
    expires_at: instant.nullable(),
    last_used_at: instant.nullable().describe('Time of the last use, to the minute.'),
  })
  .meta({ id: 'Key' });
export const KEYS = z.strictObject({ data: z.array(KEY) }).meta({ id: 'Keys' });
const secret = z.string().describe('The complete credential. It is shown only once and not stored.');
export const CREATED_KEY = z.strictObject({ key: KEY, secret }).meta({ id: 'CreatedKey' });

export const ROTATION = z
  .strictObject({
    delete_old_after_seconds: z
      .int()
      .min(0)
      .max(366 * 24 * 3600)
      .nullish()
      .describe('Time for which the old key stays valid. Default: until the old key is deleted.'),
  })
  .meta({ id: 'Rotation' });
export const ROTATED_KEY = z.strictObject({ key: KEY, secret, old: KEY }).meta({ id: 'RotatedKey' });

export const NEW_TOKEN = z
  .strictObject({
    name,
    scopes: z.array(z.enum(TOKEN_SCOPES)).min(1).max(TOKEN_SCOPES.length),
    environment: environment.nullish().describe('The only environment that the token may access. Default: all.'),
    expires_at: future
      .nullish()
      .describe(
        'Time when the token expires. Default: in 90 days, or when the creating token expires if that is earlier; with `null`, it never expires. A token that expires can only create tokens that expire by then.',
      ),
  })
  .meta({ id: 'NewToken' });
export const TOKEN = z
  .strictObject({
    id: z.string().describe('Public id of the token, shown in logs.'),
    name: z.string(),
    scopes: z.array(z.string()),
    environment: environment.nullable(),
    created_at: instant,
    expires_at: instant.nullable(),
    last_used_at: instant.nullable(),
  })
  .meta({ id: 'Token' });
export const TOKENS = z.strictObject({ data: z.array(TOKEN) }).meta({ id: 'Tokens' });
export const CREATED_TOKEN = z.strictObject({ token: TOKEN, secret }).meta({ id: 'CreatedToken' });
