/** Names for the ids in the audit log: lists and pages show names, the log itself stores only ids. */
import type { AdminAction } from '../../admin-audit/index.js';
import type { SqlSession } from '../../database/index.js';

/** Names by kind and id, without objects that have no name or no longer exist. */
export type Names = ReadonlyMap<string, string>;

/** The kind of an action's subject, by the first word of the action. */
const SUBJECTS: Readonly<Record<string, Kind>> = {
  app: 'app',
  key: 'key',
  token: 'token',
  email: 'person',
  password: 'person',
};
type Kind = 'app' | 'key' | 'token' | 'person';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Looks up the names for all entries of a page in one query. @throws DatabaseError | DatabaseUnavailable */
export async function namesOf(
  sql: SqlSession,
  accountId: string,
  entries: readonly Pick<AdminAction, 'actorKind' | 'actorId' | 'action' | 'subject'>[],
): Promise<Names> {
  const ids: Record<Kind, Set<string>> = { app: new Set(), key: new Set(), token: new Set(), person: new Set() };
  for (const { actorKind, actorId, action, subject } of entries) {
    if (actorId !== null && (actorKind === 'person' || actorKind === 'token')) ids[actorKind].add(actorId);
    const kind = subjectKind(action);
    if (kind !== undefined && subject !== null) ids[kind].add(subject);
  }
  const uuids = (kind: Kind): string[] => [...ids[kind]].filter((id) => UUID.test(id));
  const rows = await sql.query<{ kind: string; id: string; name: string }>(
    `SELECT 'app' AS kind, id::text AS id, name FROM apps WHERE account_id = $1::uuid AND id = ANY($2::text[]::uuid[])
     UNION ALL SELECT 'key', key_id::text, name FROM api_keys WHERE account_id = $1::uuid AND key_id = ANY($3::text[]::char(12)[])
     UNION ALL SELECT 'token', token_id::text, name FROM management_tokens
       WHERE account_id = $1::uuid AND token_id = ANY($4::text[]::char(12)[])
     UNION ALL SELECT 'person', p.id::text, p.email FROM memberships m JOIN people p ON p.id = m.person_id
       WHERE m.account_id = $1::uuid AND p.id = ANY($5::text[]::uuid[])`,
    [accountId, uuids('app'), [...ids.key], [...ids.token], uuids('person')],
  );
  return new Map(rows.map(({ kind, id, name }) => [`${kind} ${id}`, name]));
}

export function actorName(
  { actorKind, actorId }: Pick<AdminAction, 'actorKind' | 'actorId'>,
  names: Names,
): string | null {
  return names.get(`${actorKind} ${actorId ?? ''}`) ?? null;
}

/** The current name of the subject; if it no longer exists, the name in the entry. */
export function subjectName({ action, subject, details }: AdminAction, names: Names): string | null {
  const kind = subjectKind(action);
  if (subject === null || (kind === undefined && !action.startsWith('view.'))) return null;
  const nameInEntry = details['name'];
  return names.get(`${kind ?? ''} ${subject}`) ?? (typeof nameInEntry === 'string' ? nameInEntry : null);
}

function subjectKind(action: string): Kind | undefined {
  const [word = ''] = action.split('.');
  return Object.hasOwn(SUBJECTS, word) ? SUBJECTS[word] : undefined;
}
