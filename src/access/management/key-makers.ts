/** The creator of a key, according to the audit log. */
import type { z } from 'zod';
import type { Actor, AdminAction } from '../../admin-audit/index.js';
import type { Database } from '../../database/index.js';
import type { ApiKeyView } from '../api-keys.js';
import type { KEY } from './api-schemas.js';
import { actorName, namesOf } from './audit-names.js';
import { keyView } from './views.js';

type By = z.infer<typeof KEY>['created_by'];
type Acting = Pick<AdminAction, 'actorKind' | 'actorId' | 'action' | 'subject'>;

interface Made extends Acting {
  readonly keyId: string;
}

export class KeyMakers {
  constructor(private readonly database: Database) {}

  /** Keys in the format of the API. @throws DatabaseError | DatabaseUnavailable */
  async shown(accountId: string, keys: readonly ApiKeyView[]): Promise<z.infer<typeof KEY>[]> {
    const rows = await this.database.sql.forAccounts(accountId).query<Record<keyof Made, string>>(
      // The entry of a rotation names the old key; the new one is among its details.
      `SELECT coalesce(details->>'new_key', subject) AS "keyId", actor_kind AS "actorKind", actor_id AS "actorId",
              action, subject
       FROM admin_actions
       WHERE account_id = $1::uuid AND action IN ('key.created', 'key.rotated')
         AND coalesce(details->>'new_key', subject) = ANY($2::text[])`,
      [accountId, keys.map(({ id }) => id)],
    );
    const made = rows as readonly Made[];
    const shown = await this.named(accountId, made);
    const makers = new Map(made.map((entry) => [entry.keyId, shown(entry)]));
    return keys.map((key) => ({ ...keyView(key), created_by: makers.get(key.id) ?? null }));
  }

  /** The creator to show for a key that is about to be created. @throws DatabaseError | DatabaseUnavailable */
  async maker(accountId: string, { kind, id }: Actor): Promise<By> {
    const acting: Acting = { actorKind: kind, actorId: id, action: 'key.created', subject: null };
    const shown = await this.named(accountId, [acting]);
    return shown(acting);
  }

  private async named(accountId: string, entries: readonly Acting[]): Promise<(entry: Acting) => NonNullable<By>> {
    const names = await namesOf(this.database.sql.forAccounts(accountId), accountId, entries);
    return (entry) => ({ kind: entry.actorKind, id: entry.actorId, name: actorName(entry, names) });
  }
}
