/** Runs one suite against the whole service on both databases, so that no result holds for one alone. */
import { findPostgresBinaries, TestPostgres } from './postgres.js';
import { startTestApp, type TestApp, type TestAppOptions } from './test-app.js';

/**
 * Declares `suite` once for the embedded database and once for PostgreSQL; `WEIR_TEST_DATABASE=embedded|postgres` picks one. Without
 * PostgreSQL on the machine, the suite for it is skipped with a warning; with `WEIR_TEST_DATABASE=postgres` this throws.
 */
export function eachApp(
  title: string,
  suite: (current: () => TestApp) => void,
  options: Pick<TestAppOptions, 'env' | 'policies'> = {},
): void {
  const only = process.env['WEIR_TEST_DATABASE'];
  const binaries = findPostgresBinaries();
  if (only !== 'postgres') declare(`${title} (embedded database)`, suite, options);
  if (only === 'embedded') return;
  if (binaries !== undefined) {
    declare(`${title} (PostgreSQL)`, suite, options, binaries);
    return;
  }
  if (only === 'postgres') throw new Error('WEIR_TEST_DATABASE=postgres, but there are no PostgreSQL binaries here');
  console.warn(`SKIPPED on PostgreSQL, no binaries found: ${title}`);
  describe.skip(`${title} (PostgreSQL: no binaries found)`, () =>
    suite(() => {
      throw new Error('a skipped suite used its service');
    }));
}

function declare(
  title: string,
  suite: (current: () => TestApp) => void,
  options: Pick<TestAppOptions, 'env' | 'policies'>,
  postgresBinaries?: string,
): void {
  describe(title, () => {
    let postgres: TestPostgres | undefined;
    let app: TestApp | undefined;
    beforeAll(async () => {
      if (postgresBinaries === undefined) {
        app = await startTestApp(options);
        return;
      }
      postgres = await TestPostgres.start(postgresBinaries);
      app = await startTestApp({ ...options, databaseUrl: await postgres.newDatabase() });
    }, 60_000);
    afterAll(async () => {
      await app?.close();
      await postgres?.stop();
    });
    suite(() => {
      if (app === undefined) throw new Error('the service did not start');
      return app;
    });
  });
}
