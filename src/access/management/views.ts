import type { z } from 'zod';
import type { ApiKeyView } from '../api-keys.js';
import type { AppView } from '../apps.js';
import type { ManagementTokenView } from '../management-tokens.js';
import type { APP, KEY, TOKEN } from './api-schemas.js';

/** Rows in the format of the API. */
export function appView({ id, name, createdAt }: AppView): z.infer<typeof APP> {
  return { id, name, created_at: createdAt.toISOString() };
}

export function keyView(key: ApiKeyView): Omit<z.infer<typeof KEY>, 'created_by'> {
  return {
    id: key.id,
    app: { id: key.appId, name: key.appName },
    name: key.name,
    environment: key.environment,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
  };
}

export function tokenView(token: ManagementTokenView): z.infer<typeof TOKEN> {
  return {
    id: token.id,
    name: token.name,
    scopes: [...token.scopes],
    environment: token.environment,
    created_at: token.createdAt.toISOString(),
    expires_at: token.expiresAt?.toISOString() ?? null,
    last_used_at: token.lastUsedAt?.toISOString() ?? null,
  };
}
