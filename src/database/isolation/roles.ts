/**
 * The database roles of statements. They belong to the whole cluster, not to one database, so they are not created by a migration: every
 * `migrate` checks that they exist.
 */
import { DatabaseError, DatabaseUnusable } from '../database-error.js';
import type { SqlExecutor } from '../sql-runner.js';
import { ROLES } from './scope.js';

/** SQLSTATE of a missing privilege. */
const INSUFFICIENT_PRIVILEGE = '42501';

interface Role {
  readonly name: string;
  /** Whether this connection's own role may switch to the role. */
  readonly usable: boolean;
  readonly harmless: boolean;
}

interface Found {
  /** The login role of this connection, quoted. */
  readonly user: string;
  readonly roles: readonly Role[];
}

/**
 * Creates missing roles and lets this connection's own role switch to them. Must run in a transaction.
 *
 * @throws DatabaseUnusable if this connection may not create them, with the statements for an administrator
 */
export async function makeRoles(transaction: SqlExecutor): Promise<void> {
  const found = await readRoles(transaction);
  assertHarmless(found);
  const wanted = needed(found, 'CURRENT_USER');
  if (wanted.length === 0) return;
  // Another database of the cluster may be creating the same roles at the same time.
  const blocks = wanted.map((each) => `BEGIN ${each} EXCEPTION WHEN duplicate_object OR unique_violation THEN END;`);
  try {
    await transaction.query(`DO $weir$ BEGIN ${blocks.join(' ')} END $weir$`);
  } catch (error) {
    throw error instanceof DatabaseError && error.sqlState === INSUFFICIENT_PRIVILEGE ? refusal(found) : error;
  }
}

/**
 * Checks whether statements can run as the required roles. Changes nothing.
 *
 * @throws DatabaseUnusable if a role is missing or may not be used, with the statements to run
 */
export async function assertRoles(session: SqlExecutor): Promise<void> {
  const found = await readRoles(session);
  assertHarmless(found);
  if (needed(found, found.user).length > 0) throw refusal(found);
}

async function readRoles(session: SqlExecutor): Promise<Found> {
  const rows = await session.query<{ user: string; name: string | null; usable: boolean; harmless: boolean }>(
    `SELECT quote_ident(session_user) AS user, r.rolname::text AS name,
            CASE WHEN current_setting('server_version_num')::integer >= 160000 THEN pg_has_role(r.oid, 'SET')
                 ELSE pg_has_role(r.oid, 'MEMBER') END AS usable,
            NOT (r.rolsuper OR r.rolbypassrls OR r.rolcreaterole OR r.rolcanlogin) AS harmless
     FROM (SELECT 1) AS one LEFT JOIN pg_roles r ON r.rolname = ANY ($1::text[])`,
    [ROLES],
  );
  const roles = rows.flatMap(({ name, usable, harmless }) => (name === null ? [] : [{ name, usable, harmless }]));
  return { user: rows[0]?.user ?? '', roles };
}

function needed({ roles }: Found, user: string): string[] {
  return ROLES.flatMap((name) => {
    const role = roles.find((each) => each.name === name);
    if (role?.usable === true) return [];
    const grant = `GRANT ${name} TO ${user};`;
    return role === undefined ? [`CREATE ROLE ${name} NOLOGIN NOSUPERUSER NOBYPASSRLS;`, grant] : [grant];
  });
}

function refusal(found: Found): DatabaseUnusable {
  return new DatabaseUnusable(
    'Weir isolates accounts by database roles that own no objects, and it is not allowed to create or use these roles here. ' +
      `Have an administrator of this PostgreSQL run once: ${needed(found, found.user).join(' ')}`,
  );
}

function assertHarmless({ roles }: Found): void {
  const dangerous = roles.filter(({ harmless }) => !harmless);
  if (dangerous.length === 0) return;
  const repairs = dangerous.map(({ name }) => `ALTER ROLE ${name} NOLOGIN NOSUPERUSER NOCREATEROLE NOBYPASSRLS;`);
  throw new DatabaseUnusable(
    'Some roles that isolate accounts could log in, create roles, or read all accounts. ' +
      `Have an administrator of this PostgreSQL run: ${repairs.join(' ')}`,
  );
}
