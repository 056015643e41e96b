/**
 * The effects of a migration's statement while it runs: the blocked statements, and whether servers of the previous version can continue.
 * Only the listed forms are known; add a new form with its lock according to the documentation of PostgreSQL:
 * https://www.postgresql.org/docs/current/explicit-locking.html
 */
export interface StatementEffect {
  /** The statement, in a few words. */
  readonly does: string;
  /** The affected table, if it may already exist; absent if nothing is blocked. */
  readonly table?: string;
  /** The lock, with PostgreSQL's name. */
  readonly lock?: 'ACCESS EXCLUSIVE' | 'SHARE ROW EXCLUSIVE' | 'SHARE' | 'ROW EXCLUSIVE' | 'SHARE UPDATE EXCLUSIVE';
  /** How much of the table is read or written while the lock is held. */
  readonly work: 'nothing' | 'reads all' | 'writes all';
  /** The reason why a server of the previous version could not continue. */
  readonly breaks?: string;
}

interface Form {
  readonly form: RegExp;
  /** @param name the name of the table: the first group */
  effect(name: string, statement: string): StatementEffect;
}

const NAME = String.raw`(?:IF (?:NOT )?EXISTS )?(?:ONLY )?"?(\w+)"?`;
const anew = (does: string) => (): StatementEffect => ({ does, work: 'nothing' });
const form = (text: string, effect: Form['effect']): Form => ({ form: new RegExp(`^${text}`, 'is'), effect });

/** Column definitions that make PostgreSQL rewrite every row. */
const REWRITES = /\b(?:gen_random_uuid|random|clock_timestamp|nextval)\s*\(|GENERATED ALWAYS AS|SERIAL\b/i;

/** The parts of `ALTER TABLE`, the strictest first: a statement with several parts has the effect of the strictest. */
const ALTERATIONS: readonly { readonly part: RegExp; readonly is: Omit<StatementEffect, 'does' | 'table'> }[] = [
  exclusive(/\bDROP COLUMN\b/i, 'nothing', 'it reads the column that is dropped'),
  exclusive(/\bRENAME\b/i, 'nothing', 'it uses the old name'),
  exclusive(/\bALTER (?:COLUMN )?\w+ (?:SET DATA )?TYPE\b/i, 'writes all', 'it expects the old type'),
  exclusive(/\bALTER (?:COLUMN )?\w+ SET NOT NULL\b/i, 'reads all', 'it may write rows without a value'),
  exclusive(
    /\bADD COLUMN (?:(?!,\s*ADD\b|\bDEFAULT\b).)*\bNOT NULL\b(?!(?:(?!,\s*ADD\b).)*\bDEFAULT\b)/is,
    'reads all',
    'it writes rows without the new column',
  ),
  exclusive(/\bDETACH PARTITION\b(?!.*\bCONCURRENTLY\b)/is, 'nothing', 'it may read rows of the detached partition'),
  exclusive(
    /\bADD (?:CONSTRAINT \w+ )?(?:UNIQUE|PRIMARY KEY|EXCLUDE)\b/i,
    'reads all',
    'it may write conflicting rows',
  ),
  exclusive(/\bADD (?:CONSTRAINT \w+ )?CHECK\b(?!.*\bNOT VALID\b)/is, 'reads all', 'it may write invalid rows'),
  exclusive(/\bADD COLUMN\b(?=.*\bDEFAULT\b)/is, 'nothing'),
  exclusive(/\bADD COLUMN\b/i, 'nothing'),
  exclusive(
    /\b(?:DROP CONSTRAINT|DROP NOT NULL|ENABLE ROW|FORCE ROW|DROP DEFAULT|SET DEFAULT|SET STORAGE)\b/i,
    'nothing',
  ),
  exclusive(/\bADD CONSTRAINT \w+ CHECK\b.*\bNOT VALID\b/is, 'nothing', 'it may write invalid rows'),
  { part: /\bVALIDATE CONSTRAINT\b/i, is: { lock: 'SHARE UPDATE EXCLUSIVE', work: 'reads all' } },
  { part: /\bATTACH PARTITION\b/i, is: { lock: 'SHARE UPDATE EXCLUSIVE', work: 'reads all' } },
  { part: /\bSET \(/i, is: { lock: 'SHARE UPDATE EXCLUSIVE', work: 'nothing' } },
];

function exclusive(part: RegExp, work: StatementEffect['work'], breaks?: string) {
  return { part, is: { lock: 'ACCESS EXCLUSIVE', work, ...(breaks === undefined ? {} : { breaks }) } as const };
}

const FORMS: readonly Form[] = [
  form(String.raw`CREATE TABLE ${NAME}`, (name) => anew(`creates the table ${name}`)()),
  form(String.raw`CREATE (?:OR REPLACE )?FUNCTION (\w+)`, (name) => anew(`creates the function ${name}`)()),
  form(String.raw`(?:GRANT|COMMENT ON|SELECT)\b`, (_name, statement) => anew(shortened(statement))()),
  form(String.raw`DO \$weir\$ BEGIN EXECUTE format\('GRANT\b`, (_name, statement) => anew(shortened(statement))()),
  form(String.raw`CREATE POLICY \w+ ON ${NAME}`, (table) => momentary('creates a policy', table)),
  form(String.raw`CREATE (?:CONSTRAINT )?TRIGGER \w+ .*? ON ${NAME}`, (table) => ({
    ...{ does: 'creates a trigger', table, lock: 'SHARE ROW EXCLUSIVE', work: 'nothing' },
  })),
  form(String.raw`CREATE UNIQUE INDEX (?:\w+\s+)?ON ${NAME}`, (table) => ({
    ...{ does: 'creates a unique index', table, lock: 'SHARE', work: 'reads all' },
    breaks: 'it may write conflicting rows',
  })),
  form(String.raw`CREATE INDEX (?:IF NOT EXISTS )?(?:\w+\s+)?ON ${NAME}`, (table) => ({
    ...{ does: 'creates an index', table, lock: 'SHARE', work: 'reads all' },
  })),
  form(String.raw`INSERT INTO ${NAME}`, (table) => written('adds rows', table, 'nothing')),
  form(String.raw`UPDATE ${NAME}`, (table) => written('changes rows', table, 'writes all')),
  form(String.raw`DELETE FROM ${NAME}`, (table) => written('deletes rows', table, 'writes all')),
  // The statement does not contain the name of the table, so a comment must: `DROP INDEX apps_created /* of apps */`.
  form(String.raw`DROP INDEX (?:IF EXISTS )?\w+\s+/\* of (\w+)`, (table) => ({
    ...momentary('drops an index', table),
    breaks: 'it may need the index',
  })),
  form(String.raw`DROP TABLE ${NAME}`, (table) => ({
    ...momentary('drops the table', table),
    breaks: 'it reads the table that is dropped',
  })),
  form(String.raw`ALTER TABLE ${NAME}`, altered),
];

/** A statement may say in a comment why a server of the previous version can continue, although others of its form would stop it. */
const CONTINUES = /\/\*(?:(?!\*\/).)*\bcontinues: \S/s;

/** @throws Error for an unknown form */
export function effectOf(statement: string): StatementEffect {
  const text = statement.replaceAll(/^\s*--.*$/gm, '').trim();
  for (const { form: pattern, effect } of FORMS) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const { breaks, ...rest } = effect(match[1] ?? '', text);
    return breaks === undefined || CONTINUES.test(text) ? rest : { ...rest, breaks };
  }
  throw new Error(`The locks of this statement of a migration are unknown: ${shortened(text)}`);
}

function altered(table: string, statement: string): StatementEffect {
  const found = ALTERATIONS.find(({ part }) => part.test(statement));
  if (found === undefined) throw new Error(`The locks of this statement are unknown: ${shortened(statement)}`);
  const rewrites = /\bADD COLUMN\b/i.test(statement) && REWRITES.test(statement);
  return { does: shortened(statement), table, ...found.is, ...(rewrites ? { work: 'writes all' } : {}) };
}

function momentary(does: string, table: string): StatementEffect {
  return { does, table, lock: 'ACCESS EXCLUSIVE', work: 'nothing' };
}

function written(does: string, table: string, work: StatementEffect['work']): StatementEffect {
  return { does, table, lock: 'ROW EXCLUSIVE', work };
}

const SHOWN = 80;

function shortened(statement: string): string {
  const line = statement.replaceAll(/\s+/g, ' ');
  return line.length <= SHOWN ? line : `${line.slice(0, SHOWN - 1)}…`;
}
