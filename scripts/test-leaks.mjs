/**
 * `npm run test:leaks -- --cases 5000 --seed 7`: checks how many secrets planted in requests two lenient parsers, in
 * Python and in Go, can read although Weir did not find them. It needs both languages.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '5000' },
    seed: { type: 'string', default: '1' },
  },
});
const { status } = spawnSync(
  process.execPath,
  ['scripts/test.mjs', 'e2e', '--maxWorkers=1', '--testPathPatterns=e2e/leaks'],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      CI: 'true',
      WEIR_TEST_LEAK_CASES: values.cases,
      WEIR_TEST_LEAK_SEED: values.seed,
      WEIR_TEST_LEAK_LIST: '1',
    },
  },
);
process.exit(status ?? 1);
