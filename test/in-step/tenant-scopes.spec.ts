import { globSync, readFileSync } from 'node:fs';

/** The files with statements that have no scope, and the reasons. */
const UNSCOPED = [
  // Asks a database whether it is a standby.
  'cli/doctor/checks.ts',
  // Moves whole weeks of all accounts to the archive and back, as the owner of the tables.
  'src/events/archive/archive-keeper.ts',
  'src/events/archive/archive-week.ts',
  'src/events/archive/archive-work.ts',
  'src/events/archive/archive.ts',
  'src/events/archive/restore-part.ts',
  // Deletes the tables of weeks that retention or the archive has detached, as the owner of the tables.
  'src/events/detached-weeks.ts',
  // Searches all accounts for calls without an end, then writes only for the accounts that it found.
  'src/events/gap-sweeper.ts',
  // Deletes the marks of events that were removed with their partition.
  'src/events/marks/delete-marks.ts',
  // Creates partitions, as the owner of the tables.
  'src/events/partition-keeper.ts',
  'src/events/partitions.ts',
  // Deletes expired data, week by week, as the owner of the tables.
  'src/events/retention/retention-keeper.ts',
  'src/events/retention/week-parts.ts',
  // Computes the sums of past days for all accounts, as the owner of the tables.
  'src/events/rollups/day-keeper.ts',
  'src/events/rollups/day-sums.ts',
  'src/events/rollups/delete-minutes.ts',
  // Deletes ended sessions of all accounts, as the owner of the tables.
  'src/events/sessions/session-histories.ts',
];

/** Code that runs statements under the role of the connection's login: with the runner itself, or for maintenance. */
const WITHOUT_SCOPE = /\bSqlRunner\b|\bforMaintenance\b|\bdatabase\.sql\.(?:query|transaction)\b|\.orm\b/;

describe('The SQL statements of features', () => {
  it('declare the accounts or the duty for which they run', () => {
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
