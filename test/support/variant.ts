/**
 * Settings for all tests that start a service, from options such as `npm run test:full -- --record=beside`;
 * `--workers=2` applies to server processes on PostgreSQL.
 */
export function variantEnv(): Record<string, string> {
  return given('WEIR_RECORD', process.env['WEIR_TEST_RECORD']);
}

/** @param env environment of the server process */
export function workersEnv({ DATABASE_URL: database }: Readonly<Record<string, string>>): Record<string, string> {
  return database === undefined ? {} : given('WEIR_WORKERS', process.env['WEIR_TEST_WORKERS']);
}

function given(name: string, value: string | undefined): Record<string, string> {
  return value === undefined || value === '' ? {} : { [name]: value };
}
