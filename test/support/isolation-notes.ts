/** Which suites something was taken away from: `scripts/test-isolation.mjs` looks that it was each one that it ran. */
import { appendFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const NOTES = 'WEIR_TEST_ISOLATION_NOTES';

/** Notes the running suite the first time that it is called. */
export function noteSuite(): () => void {
  const [file, suite] = [process.env[NOTES], runningSuite()];
  let isNoted = file === undefined || suite === undefined;
  return () => {
    if (!isNoted && file !== undefined) appendFileSync(file, `${suite}\n`);
    isNoted = true;
  };
}

/** The file of tests that runs. Benchmarks start servers, too, and are none. */
function runningSuite(): string | undefined {
  const expect = Reflect.get(globalThis, 'expect') as { getState(): { testPath?: string } } | undefined;
  return expect?.getState().testPath;
}

/** What makes a process of the built service do without what the tests do without. Nothing in ordinary tests. */
export function isolationEnv(): Record<string, string> {
  const left = process.env['WEIR_TEST_ISOLATION'];
  if (left === undefined || left === '') return {};
  const module = pathToFileURL('test/support/isolation-in-process.mjs');
  const said = { left, notes: process.env[NOTES], suite: runningSuite() };
  for (const [name, value] of Object.entries(said)) if (value !== undefined) module.searchParams.set(name, value);
  return { NODE_OPTIONS: `--import=${module.href}` };
}
