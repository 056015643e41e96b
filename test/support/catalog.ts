/** The tables, functions and rights of a migrated PostgreSQL, to compare two databases. */
import type { TestPostgres } from './postgres.js';

export interface CatalogEntry {
  readonly kind: string;
  readonly name: string;
  readonly definition: string;
}

/** Tables without those that a running server creates: weeks of the log, and detached weeks. */
const TABLES = `pg_class t WHERE t.relnamespace = 'public'::regnamespace AND t.relkind IN ('r', 'p')
  AND t.relname !~ '^(detached_)?events_w[0-9]'`;

const CATALOG = `
SELECT 'table' AS kind, t.relname::text AS name, concat_ws(' ', t.relkind, t.relrowsecurity, t.relforcerowsecurity,
    t.reloptions::text, t.relacl::text) AS definition FROM ${TABLES}
UNION ALL SELECT 'column', c.relname || '.' || a.attname, concat_ws(' ', a.attnum, format_type(a.atttypid, a.atttypmod),
    a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attacl::text)
  FROM (SELECT t.oid, t.relname FROM ${TABLES}) c
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
UNION ALL SELECT 'index', c.relname::text, pg_get_indexdef(i.indexrelid)
  FROM (SELECT t.oid, t.relname FROM ${TABLES}) c JOIN pg_index i ON i.indrelid = c.oid
UNION ALL SELECT 'constraint', c.relname || '.' || k.conname, pg_get_constraintdef(k.oid)
  FROM (SELECT t.oid, t.relname FROM ${TABLES}) c JOIN pg_constraint k ON k.conrelid = c.oid
UNION ALL SELECT 'policy', c.relname || '.' || p.policyname, to_jsonb(p)::text
  FROM (SELECT t.relname FROM ${TABLES}) c JOIN pg_policies p ON p.schemaname = 'public' AND p.tablename = c.relname
UNION ALL SELECT 'trigger', c.relname || '.' || g.tgname, pg_get_triggerdef(g.oid)
  FROM (SELECT t.oid, t.relname FROM ${TABLES}) c JOIN pg_trigger g ON g.tgrelid = c.oid AND NOT g.tgisinternal
UNION ALL SELECT 'function', f.oid::regprocedure::text, concat_ws(' ', pg_get_functiondef(f.oid), f.proacl::text)
  FROM pg_proc f WHERE f.pronamespace = 'public'::regnamespace AND f.prokind = 'f'
ORDER BY 1, 2, 3`;

/** @param url the connection string of a database of this server */
export function catalogOf(postgres: TestPostgres, url: string): Promise<CatalogEntry[]> {
  return postgres.ask<CatalogEntry>(CATALOG, new URL(url).pathname.slice(1));
}
