/** Settings under which all tests run that start a service: `npm run test:full -- --record=beside` names one. */
export function variantEnv(): Record<string, string> {
  const record = process.env['WEIR_TEST_RECORD'];
  return record === undefined || record === '' ? {} : { WEIR_RECORD: record };
}
