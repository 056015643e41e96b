import { runPolicyTests, type PolicyTestResult } from '../authoring/index.js';
import { entryFiles, type Bundle, type PluginCatalog, type PolicyProblem } from '../core/index.js';
import type { ActivePolicy, PolicyStore } from '../policy-store/index.js';

/** The problems that a trial tolerates, according to the deployment. */
export interface TrialTerms {
  /** The clock of tests that set none, milliseconds since the epoch: fixed, so that a trial always has the same outcome. */
  readonly nowMs: number;
  readonly waivedTests: readonly string[];
  readonly untested: boolean;
}

export type TrialFailure = 'too_costly' | 'uncompilable' | 'tests_unreadable' | 'tests_failed' | 'no_tests';

export type Trial =
  | {
      readonly ok: true;
      readonly active: ActivePolicy;
      readonly testsPassed: number;
      /** Tests that failed and were waived. */
      readonly failedTests: readonly string[];
    }
  | {
      readonly ok: false;
      readonly failure: TrialFailure;
      /** The problem in words, without any input of tests. */
      readonly problem: string;
      readonly details: readonly string[];
      /** For `tests_failed`: all failed tests, including waived ones. */
      readonly failedTests: readonly string[];
    };

const MAX_DETAILS = 20;

/** Yields to pending work: a trial must not delay calls. */
export const afterOthers = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Compiles a bundle in this process and runs its tests against the object that would judge calls. The work is done in steps of
 * milliseconds, with pending work served between them.
 */
export async function tryBundle(
  bundle: Bundle,
  terms: TrialTerms,
  store: Pick<PolicyStore, 'prepare'>,
  plugins: PluginCatalog,
  pause: () => Promise<void> = afterOthers,
): Promise<Trial> {
  const { environment, files, tests } = bundle;
  const { active, problems } = await store.prepare(
    { environment, files, entry: entryFiles(files, environment) },
    pause,
  );
  if (active === undefined) {
    const errors = problems.filter(({ level }) => level === 'error');
    return refused('uncompilable', `${counted(errors.length, 'error')} in the policy files`, errors.map(placed));
  }
  // The runner treats a list without files as a mistake; here it means that there is nothing to run.
  const run =
    tests.length === 0
      ? { results: [], problems: [] }
      : await runPolicyTests({
          files: tests,
          policies: new Map([[environment, active.policy]]),
          environments: [environment],
          plugins,
          nowMs: terms.nowMs,
          pause,
        });
  if (run.problems.length > 0) {
    return refused(
      'tests_unreadable',
      `${counted(run.problems.length, 'error')} in the test files`,
      run.problems.map(placed),
    );
  }
  return judged(run.results, terms, active);
}

function judged(results: readonly PolicyTestResult[], terms: TrialTerms, active: ActivePolicy): Trial {
  const passed = results.filter(({ status }) => status === 'passed').length;
  const failed = results.filter(({ status }) => status === 'failed');
  const failedTests = failed.map(testName);
  const waived = new Set(terms.waivedTests);
  if (failedTests.some((name) => !waived.has(name))) {
    const words = `${counted(failed.length, 'test')} of ${results.length} failed`;
    return { ...refused('tests_failed', words, failed.map(failureText)), failedTests };
  }
  if (passed + failed.length === 0 && !terms.untested)
    return refused('no_tests', 'the bundle has no test for its environment', []);
  return { ok: true, active, testsPassed: passed, failedTests };
}

/** The name of a test in a waiver: `tests/pii.test.yaml#iban-masked@production`. */
function testName({ file, id, environment }: PolicyTestResult): string {
  return `${file}#${id}@${environment}`;
}

/** The test and its failed expectations, without its input and output. */
function failureText(result: PolicyTestResult): string {
  const fields = result.status === 'failed' ? [...new Set(result.failures.map(({ field }) => field))] : [];
  return `${testName(result)} (line ${result.line}): ${fields.join(', ')}`;
}

function placed({ code, file, line, message }: PolicyProblem): string {
  return `${file}:${line} ${code} ${message}`;
}

function refused(failure: TrialFailure, problem: string, details: readonly string[]) {
  const kept = details.slice(0, MAX_DETAILS);
  const more = details.length - kept.length;
  return {
    ok: false,
    failure,
    problem,
    details: more === 0 ? kept : [...kept, `and ${more} more`],
    failedTests: [],
  } as const;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
