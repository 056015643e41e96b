/**
 * `npm run dashboard:states`: opens every page of the dashboard with every amount of data and every fault, in both
 * themes and widths. `-- overview never 402` selects pages, amounts and faults by name. It needs Chromium and takes
 * hours on two cores.
 */
import { spawnSync } from 'node:child_process';

const names = process.argv.slice(2);
const { status } = spawnSync(
  process.execPath,
  ['scripts/test.mjs', 'e2e', '--maxWorkers=1', '--testPathPatterns=e2e/dashboard-sweep'],
  { stdio: 'inherit', env: { ...process.env, WEIR_TEST_SWEEP: names.length === 0 ? 'all' : names.join(',') } },
);
process.exit(status ?? 1);
