import { TOKEN_SCOPES, type Environment, type TokenScope } from '../core/index.js';
import type { TenantSql } from '../database/index.js';
import type { Manager } from './caller.js';
import { Authenticator } from './authenticator.js';
import type { CacheOptions } from './credential-cache.js';
import {
  CredentialLookup,
  nearest,
  storedDigest,
  type CredentialKind,
  type CredentialRow,
} from './credential-lookup.js';

interface TokenRow extends CredentialRow {
  readonly token_id: string;
  /** Separated by single spaces. */
  readonly scopes: string;
  readonly environment: Environment | null;
}

const KIND: CredentialKind<TokenRow, Manager> = {
  table: 'management_tokens',
  statement: `
    SELECT t.account_id::text AS account_id, t.id::text AS row_id,
           ${storedDigest('t.secret_sha256', 't.token_id = $1 AND t.deleted_at IS NULL AND o.id IS NOT NULL')},
           floor(extract(epoch FROM t.expires_at) * 1000)::double precision AS expires_at_ms,
           t.token_id::text AS token_id, array_to_string(t.scopes, ' ') AS scopes, t.environment
    FROM ${nearest('management_tokens', 'token_id')}
    LEFT JOIN management_tokens t ON t.token_id = nearest.id
    LEFT JOIN accounts o ON o.id = t.account_id AND o.status = 'active'`,
  idOf: ({ token_id: id }) => id,
  accepts: (prefix) => prefix === 'wt_live_',
  holder: (row) => ({
    accountId: row.account_id,
    tokenId: row.token_id,
    scopes: row.scopes.split(' ').filter(isScope),
    ...(row.environment === null ? {} : { environment: row.environment }),
    ...(row.expires_at_ms === null ? {} : { expiresAtMs: row.expires_at_ms }),
  }),
};

/** A scope that this version does not know allows nothing. */
function isScope(text: string): text is TokenScope {
  return (TOKEN_SCOPES as readonly string[]).includes(text);
}

/** Determines the manager from the management token. */
export class TokenAuthenticator extends Authenticator<TokenRow, Manager> {
  constructor(sql: TenantSql, now: () => Date = () => new Date(), cache?: CacheOptions) {
    super(new CredentialLookup(sql, KIND, now, cache));
  }
}
