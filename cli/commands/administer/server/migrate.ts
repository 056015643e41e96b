import type { PlannedMigration, PlannedStatement } from '../../../../src/database/index.js';
import { defineCommand } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { plural } from '../../../output/plural.js';
import { serverConfig, withDatabase } from '../../../server/with-database.js';

const SHORT_S = 1;
const MEBIBYTE = 1_048_576;

/** `weir server migrate`: runs the pending migrations of the configured database, or lists them. */
export const serverMigrate = defineCommand({
  usage: 'migrate',
  summary: 'Apply database migrations',
  options: {
    'dry-run': {
      type: 'boolean',
      default: false,
      describe: 'Change nothing; list pending migrations, exit 5 if there are any',
    },
    plan: {
      type: 'boolean',
      default: false,
      describe: 'Show the locks of pending migrations and their duration; exit 5 if any are pending',
    },
  },

  async run({ dryRun, plan, json }, { io }) {
    const config = await serverConfig(io);
    const { migrate, pendingMigrations, planMigrations } = await import('../../../../src/database/index.js');
    if (plan) {
      const migrations = await withDatabase(config, planMigrations);
      const words = json ? `${JSON.stringify({ schemaVersion: 1, plan: migrations })}\n` : planText(migrations);
      await write(io.stdout, words);
      return outcome(migrations.length);
    }
    const names = await withDatabase(config, dryRun ? pendingMigrations : migrate);
    const lines = names.map((name) => `${name}\n`).join('');
    await write(io.stdout, json ? `${JSON.stringify({ schemaVersion: 1, dryRun, migrations: names })}\n` : lines);
    if (dryRun) return outcome(names.length);
    return {
      exit: EXIT.ok,
      words: names.length === 0 ? 'nothing to migrate' : `${plural(names.length, 'migration')} run`,
    };
  },
});

function outcome(pending: number) {
  if (pending === 0) return { exit: EXIT.ok, words: 'nothing to migrate' };
  return { exit: EXIT.pending, words: `${plural(pending, 'migration')} pending` };
}

/** The plan as text: it lists the statements that block others, and only counts the rest. */
function planText(migrations: readonly PlannedMigration[]): string {
  return migrations
    .map(({ name, statements }) => {
      const waits = statements.filter(({ lock, bytes }) => lock !== undefined && bytes !== undefined);
      const free = statements.length - waits.length;
      return [name, ...waits.map(lineOf), `  ${plural(free, 'statement')} blocking no other statement`, ''].join('\n');
    })
    .join('');
}

function lineOf({ does, table, lock, bytes = 0, seconds, breaks }: PlannedStatement): string {
  const long = seconds < SHORT_S ? 'for a moment' : `for about ${Math.ceil(seconds)} s`;
  const waits = lock === undefined ? 'no statement waits' : `${lock}, ${long}: ${WAITING[lock]}`;
  const size = `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
  const beside = breaks === undefined ? '' : `\n    a server of the previous version cannot continue: ${breaks}`;
  return `  ${table} (${size}): ${does}\n    ${waits}${beside}`;
}

/** https://www.postgresql.org/docs/current/explicit-locking.html */
const WAITING: Readonly<Record<NonNullable<PlannedStatement['lock']>, string>> = {
  'ACCESS EXCLUSIVE': 'reads and writes wait',
  'SHARE ROW EXCLUSIVE': 'writes wait',
  SHARE: 'writes wait',
  'ROW EXCLUSIVE': 'only writes of the same rows wait',
  'SHARE UPDATE EXCLUSIVE': 'no read or write waits',
};
