import { findPostgresBinaries } from './postgres.js';

/**
 * Declares a suite that needs a PostgreSQL server. `WEIR_TEST_DATABASE=embedded` skips it. Without the programs of PostgreSQL on the
 * machine, it is skipped with a warning; with `WEIR_TEST_DATABASE=postgres` this throws.
 *
 * @param suite gets the folder of the programs
 */
export function describeOnPostgres(title: string, suite: (binaries: string) => void): void {
  describeOnPostgresWith([], title, suite);
}

/** Like `describeOnPostgres`. @param more further programs that the suite needs, such as `pg_basebackup` */
export function describeOnPostgresWith(
  more: readonly string[],
  title: string,
  suite: (binaries: string) => void,
): void {
  const only = process.env['WEIR_TEST_DATABASE'];
  const binaries = findPostgresBinaries(...more);
  if (binaries === undefined) {
    const missing = `no PostgreSQL${more.length === 0 ? '' : ` with ${more.join(', ')}`} found: ${title}`;
    if (only === 'postgres') throw new Error(`WEIR_TEST_DATABASE=postgres, but ${missing}`);
    console.warn(`SKIPPED, ${missing}`);
  }
  (binaries === undefined || only === 'embedded' ? describe.skip : describe)(title, () => suite(binaries ?? ''));
}
