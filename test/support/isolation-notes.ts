/** Records the suites in which isolation was removed. `scripts/test-isolation.mjs` checks that every suite it started is among them. */
import { appendFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const NOTES = 'WEIR_TEST_ISOLATION_NOTES';

/** Returns a function that notes the running suite on its first call. */
export function noteSuite(): () => void {
  const [file, suite] = [process.env[NOTES], runningSuite()];
  let isNoted = file === undefined || suite === undefined;
  return () => {
    if (!isNoted && file !== undefined) appendFileSync(file, `${suite}\n`);
    isNoted = true;
  };
}

/** The running test file; undefined for benchmarks, which also start servers. */
function runningSuite(): string | undefined {
  const expect = Reflect.get(globalThis, 'expect') as { getState(): { testPath?: string } } | undefined;
  return expect?.getState().testPath;
}

/** The environment that removes the same isolation in a process of the built service; empty in ordinary tests. */
export function isolationEnv(): Record<string, string> {
  const left = process.env['WEIR_TEST_ISOLATION'];
  if (left === undefined || left === '') return {};
  const module = pathToFileURL('test/support/isolation-in-process.mjs');
  const said = { left, notes: process.env[NOTES], suite: runningSuite() };
  for (const [name, value] of Object.entries(said)) if (value !== undefined) module.searchParams.set(name, value);
  return { NODE_OPTIONS: `--import=${module.href}` };
}
