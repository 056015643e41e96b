import type { Environment } from '../core/index.js';
import type { TenantSql } from '../database/index.js';
import { appLimitsOf } from './app-limits.js';
import type { Caller } from './caller.js';
import { keyPrefix } from './credential.js';
import { Authenticator } from './authenticator.js';
import type { CacheOptions } from './credential-cache.js';
import {
  CredentialLookup,
  nearest,
  storedDigest,
  type CredentialKind,
  type CredentialRow,
} from './credential-lookup.js';

interface KeyRow extends CredentialRow {
  readonly app_id: string;
  readonly app_name: string;
  readonly key_id: string;
  readonly name: string;
  readonly environment: Environment;
  readonly app_limits: string | null;
}

const COLUMNS = `k.account_id::text AS account_id, k.id::text AS row_id,
           floor(extract(epoch FROM k.expires_at) * 1000)::double precision AS expires_at_ms,
           k.app_id::text AS app_id, a.name AS app_name, k.key_id::text AS key_id, k.name, k.environment,
           a.limits::text AS app_limits`;

const KIND: CredentialKind<KeyRow, Caller> = {
  table: 'api_keys',
  statement: `
    SELECT ${COLUMNS},
           ${storedDigest('k.secret_sha256', 'k.key_id = $1 AND k.deleted_at IS NULL AND a.id IS NOT NULL AND o.id IS NOT NULL')}
    FROM ${nearest('api_keys', 'key_id')}
    LEFT JOIN api_keys k ON k.key_id = nearest.id
    LEFT JOIN apps a ON a.account_id = k.account_id AND a.id = k.app_id AND a.deleted_at IS NULL
    LEFT JOIN accounts o ON o.id = k.account_id AND o.status = 'active'`,
  many: `
    SELECT ${COLUMNS}, encode(k.secret_sha256, 'hex') AS secret_sha256
    FROM unnest(string_to_array($1, ',')) AS asked (id)
    JOIN api_keys k ON k.key_id = asked.id::bpchar AND k.deleted_at IS NULL
    JOIN apps a ON a.account_id = k.account_id AND a.id = k.app_id AND a.deleted_at IS NULL
    JOIN accounts o ON o.id = k.account_id AND o.status = 'active'`,
  idOf: ({ key_id: id }) => id,
  accepts: (prefix) => prefix === 'sk_live_' || prefix === 'sk_test_',
  holder: (row, parsed) => (parsed.prefix === keyPrefix(row.environment) ? callerOf(row) : null),
};

function callerOf(row: KeyRow): Caller {
  const limits = appLimitsOf(row.app_limits);
  return {
    accountId: row.account_id,
    appId: row.app_id,
    appName: row.app_name,
    keyId: row.key_id,
    keyName: row.name,
    environment: row.environment,
    ...(limits === undefined ? {} : { limits }),
  };
}

/** Determines the sender of a call from the API key alone. */
export class KeyAuthenticator extends Authenticator<KeyRow, Caller> {
  constructor(sql: TenantSql, now: () => Date = () => new Date(), cache?: CacheOptions) {
    super(new CredentialLookup(sql, KIND, now, cache));
  }

  /** Calls `listen` for each refused key whose id exists: its secret is wrong, or it was deleted or has expired. */
  onRefused(listen: (of: Pick<Caller, 'accountId' | 'appId' | 'environment'>) => void): void {
    this.lookup.onRefused(({ account_id: accountId, app_id: appId, environment }) =>
      listen({ accountId, appId, environment }),
    );
  }
}
