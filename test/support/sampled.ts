const { isSampled } = (await import(`${process.cwd()}/test/sets.mjs`)) as { isSampled(testPath: string): boolean };

/**
 * Some of the cases of a test, for files that do the same with very many: in `npm test` one in `oneIn` of them, at least one, if
 * test/sets.mjs lists the file in `SAMPLED`; otherwise, as in `npm run test:full`, all of them. Which ones depends on `WEIR_TEST_SEED`.
 */
export function sampled<T>(cases: readonly T[], oneIn: number): T[] {
  if (!isSampled(expect.getState().testPath ?? '')) return [...cases];
  const step = Math.max(1, Math.min(oneIn, cases.length));
  const seed = Number(process.env['WEIR_TEST_SEED']);
  const first = Number.isSafeInteger(seed) ? Math.abs(seed) % step : 0;
  return cases.filter((_, index) => index % step === first);
}
