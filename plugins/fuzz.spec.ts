import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const STRINGS = 100_000;
const SEED = process.env['FUZZ_SEED'] ?? '1';

describe('The shipped detectors', () => {
  it(`never throw and return only valid findings, in ${STRINGS} odd strings and lines of a megabyte (FUZZ_SEED=${SEED})`, async () => {
    const loader = pathToFileURL(resolve('test/support/register-typescript.mjs')).href;
    const program = resolve('test/support/fuzz-detectors.ts');
    const argv = ['--import', loader, program, String(STRINGS), SEED];
    const { stdout } = await promisify(execFile)(process.execPath, argv);
    expect(JSON.parse(stdout)).toEqual({ strings: STRINGS, lines: 8, faults: [] });
  }, 300_000);
});
