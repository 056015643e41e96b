import { globSync, readFileSync } from 'node:fs';

/** What runs without a scope, and why. */
const UNSCOPED = [
  // Asks a standby whether it is one.
  'cli/doctor/checks.ts',
  // Moves whole weeks of all accounts to the archive and back, as the owner of the tables.
  'src/events/archive/archive-keeper.ts',
  'src/events/archive/archive-week.ts',
  'src/events/archive/archive-work.ts',
  'src/events/archive/archive.ts',
  'src/events/archive/restore-part.ts',
  // Looks through all accounts for calls without an end, then writes for those accounts alone.
  'src/events/gap-sweeper.ts',
  // Deletes the marks of events that are gone with their partition.
  'src/events/marks/forget-marks.ts',
  // Makes partitions, as the owner of the tables.
  'src/events/partition-keeper.ts',
  'src/events/partitions.ts',
  // Takes away what is due, week by week, as the owner of the tables.
  'src/events/retention/retention-keeper.ts',
  // Sums up days that are over, of all accounts, as the owner of the tables.
  'src/events/rollups/day-keeper.ts',
  'src/events/rollups/day-sums.ts',
  // Forgets sessions that are over, of all accounts, as the owner of the tables.
  'src/events/sessions/session-histories.ts',
];

/** Statements as the role that the connection logged in as: the runner itself, or its maintenance. */
const WITHOUT_SCOPE = /\bSqlRunner\b|\bforMaintenance\b|\bdatabase\.sql\.(?:query|transaction)\b|\.orm\b/;

describe('Statements of features', () => {
  it('say for which accounts or which duty they are', () => {
    const files = globSync(['src/**/*.ts', 'cli/**/*.ts'], { exclude: ['src/database/**', '**/*.spec.ts'] });
    expect(files.length).toBeGreaterThan(300);
    const without = files.filter((file) => WITHOUT_SCOPE.test(readFileSync(file, 'utf8')));
    expect(without.sort()).toEqual(UNSCOPED);
    for (const bad of ['await this.database.sql.query(', 'constructor(sql: SqlRunner)', 'sql.forMaintenance()']) {
      expect(bad).toMatch(WITHOUT_SCOPE);
    }
    expect('this.database.sql.forAccounts(id).query(').not.toMatch(WITHOUT_SCOPE);
  });
});
