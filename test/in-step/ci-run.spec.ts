import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../support/walks.js';

interface TestFile {
  readonly name: string;
  readonly tests?: readonly ('passed' | 'failed')[];
  readonly message?: string;
}

const SCRIPT = readFileSync(join(ROOT, '.ci/run'), 'utf8');
/** Functions of the script, without the steps that it runs. */
const functionsOf = (...names: string[]): string =>
  names.map((name) => new RegExp(`^${name}\\(\\) \\{\\n[\\s\\S]*?^\\}$`, 'm').exec(SCRIPT)?.[0]).join('\n');

const PASSED: TestFile = { name: 'passed.spec.ts', tests: ['passed', 'passed'] };
const RED: TestFile = { name: 'red.spec.ts', tests: ['passed', 'failed'] };
const GREEN_AGAIN: TestFile = { name: 'red.spec.ts', tests: ['passed', 'passed'] };
const ended = (how: string): TestFile => ({
  name: 'ended.spec.ts',
  message: `A jest worker process (pid=7) was terminated by another process: ${how}. Operating system logs may contain more.`,
});

/** A report of jest, as far as `.ci/run` reads it. */
function reportOf(files: readonly TestFile[]): string {
  const all = files.flatMap(({ tests = [] }) => tests);
  return JSON.stringify({
    numPassedTests: all.filter((status) => status === 'passed').length,
    numFailedTests: all.filter((status) => status === 'failed').length,
    numPendingTests: 0,
    testResults: files.map(({ name, tests = [], message = '' }) => ({
      name,
      message,
      status: tests.length === 0 || tests.includes('failed') ? 'failed' : 'passed',
      assertionResults: tests.map((status) => ({ status })),
    })),
  });
}

/** Runs `tests` of `.ci/run` with made-up reports of the first run and of the one with the files that run again. */
function run(
  first: readonly TestFile[],
  again: readonly TestFile[],
): { counts: string; messages: string; again: string } {
  const folder = mkdtempSync(join(tmpdir(), 'weir-ci-run-'));
  try {
    writeFileSync(join(folder, 'first'), reportOf(first));
    writeFileSync(join(folder, 'second'), reportOf(again));
    const script = `set -uo pipefail
      reports=${folder} passed=0 failed=0
      touch "$reports/told"
      ${functionsOf('step', 'tell', 'report_of', 'run_with_report', 'tests')}
      npm() {
        case " $* " in
          *' --runTestsByPath '*) cp "$reports/second" "$reports/again.json"; printf '%s' "$*" >"$reports/paths" ;;
          *) cp "$reports/first" "$reports/tests.json" ;;
        esac
        ! grep -q '"status":"failed"' "$reports/first"
      }
      tests 'made up' npm test >/dev/null
      printf '%d passed, %d failed' "$passed" "$failed" >"$reports/counts"`;
    execFileSync('bash', ['-c', script], { stdio: ['ignore', 'ignore', 'inherit'] });
    const read = (name: string): string => readFileSync(join(folder, name), { encoding: 'utf8', flag: 'a+' }).trim();
    return { counts: read('counts'), messages: read('told'), again: read('paths').replace(/^.*--runTestsByPath /, '') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('The check that decides whether a change lands', () => {
  it('counts the tests of a run', () => {
    expect(run([PASSED], [])).toEqual({ counts: '2 passed, 0 failed', messages: '', again: '' });
  });

  it('runs a file with a failed test again, and says so if it passes', () => {
    const { counts, messages, again } = run([PASSED, RED], [GREEN_AGAIN]);
    expect([counts, again]).toEqual(['4 passed, 0 failed', 'red.spec.ts']);
    expect(messages).toBe('PASSED ONLY WHEN RUN AGAIN: red.spec.ts');
  });

  it('fails if the file fails again', () => {
    const { counts, messages } = run([PASSED, RED], [RED]);
    expect(counts).toBe('3 passed, 1 failed');
    expect(messages).toBe('FAILED: made up: red.spec.ts');
  });

  it.each(['signal=SIGTERM, exitCode=null', 'signal=SIGABRT, exitCode=null'])(
    'fails without a second run if a process of the tests ended early: %s',
    (how) => {
      const { counts, messages, again } = run([PASSED, ended(how)], [PASSED]);
      expect([counts, again]).toEqual(['2 passed, 1 failed', '']);
      expect(messages).toBe('FAILED WITHOUT A FAILED TEST, so not run again: ended.spec.ts');
    },
  );

  it('fails without a second run if a file could not be loaded', () => {
    const { counts, again } = run([PASSED, { name: 'ended.spec.ts', message: 'Cannot find module' }], [PASSED]);
    expect([counts, again]).toEqual(['2 passed, 1 failed', '']);
  });

  it('does not let a file that passes again hide one whose process ended early', () => {
    const { counts, messages, again } = run([PASSED, RED, ended('signal=SIGKILL, exitCode=null')], [GREEN_AGAIN]);
    expect([counts, again]).toEqual(['4 passed, 1 failed', 'red.spec.ts']);
    expect(messages).toContain('FAILED WITHOUT A FAILED TEST, so not run again: ended.spec.ts');
  });

  it('runs a file again after a SIGSEGV, whose cause is known, and says so', () => {
    const { counts, messages, again } = run([PASSED, ended('signal=SIGSEGV, exitCode=null')], [PASSED]);
    expect([counts, again]).toEqual(['3 passed, 0 failed', 'ended.spec.ts']);
    expect(messages).toContain('ENDED BY SIGSEGV (https://github.com/nodejs/node/issues/64500): ended.spec.ts');
    expect(messages).toContain('PASSED ONLY WHEN RUN AGAIN: ended.spec.ts');
  });
});

describe('The parts of the check, each on a machine of its own', () => {
  interface Job {
    readonly 'timeout-minutes': number;
    readonly env?: { readonly CI_PART: string };
    readonly strategy?: { readonly matrix: { readonly part: readonly string[] } };
  }
  const { jobs } = parse(readFileSync(join(ROOT, '.github/workflows/ci.yml'), 'utf8')) as { jobs: Record<string, Job> };
  const PARTS = Object.values(jobs).flatMap(({ env, strategy }) => strategy?.matrix.part ?? env?.CI_PART ?? []);
  const STEPS = SCRIPT.slice(SCRIPT.indexOf("check 'build'"));

  /** The names of the steps after the installation that a part runs, without running them. */
  function stepsOf(part: string): string[] {
    const script = `set -uo pipefail
      PART=${part} PARTS=8 LAST_BEGIN_SECONDS=4200 reports=/nowhere
      ${functionsOf('runs', 'long_tests')}
      for name in check start_in_background check_with_tool tests; do eval "$name() { printf '%s\\n' \\"\\$1\\"; }"; done
      for name in finish_background audit s3 sdk_python finish; do eval "$name() { echo $name; }"; done
      git() { echo abcd; }
      ${STEPS}`;
    return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n');
  }

  it('run every step of the whole check', () => {
    const whole = stepsOf('all');
    expect(whole.length).toBeGreaterThan(30);
    expect(new Set(PARTS.flatMap(stepsOf))).toEqual(new Set(whole));
  });

  it('repeat only steps that prepare others', () => {
    const repeated = [...Map.groupBy(PARTS.flatMap(stepsOf), (step) => step)].flatMap(([step, { length }]) =>
      length === 1 ? [] : [step],
    );
    expect(repeated.sort()).toEqual([
      'build',
      'finish',
      'older clients for the tests of the Node.js SDK',
      'runtimes for the tests of the Node.js SDK',
      's3',
    ]);
  });

  it('have half an hour each', () => {
    for (const job of Object.values(jobs)) expect(job['timeout-minutes']).toBeLessThanOrEqual(30);
  });
});
