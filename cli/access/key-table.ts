import { columns } from '../output/columns.js';
import type { Key } from './answers.js';

/** A table for the terminal with one key per line. */
export function keyTable(keys: readonly Key[], nowMs: number): string {
  return columns(
    ['ID', 'APP', 'NAME', 'ENVIRONMENT', 'LAST USED', 'EXPIRES'],
    keys.map((key) => [
      key.id,
      key.app.name,
      key.name,
      key.environment,
      key.last_used_at?.slice(0, 16) ?? 'never',
      endText(key.expires_at, nowMs),
    ]),
  );
}

/** The expiry of a credential as text. */
export function endText(expiresAt: string | null, nowMs: number): string {
  if (expiresAt === null) return 'never';
  return Date.parse(expiresAt) <= nowMs ? `EXPIRED ${expiresAt.slice(0, 10)}` : expiresAt.slice(0, 16);
}
