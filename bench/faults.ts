import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAULTS, answersText } from '../test/faults/faults.js';
import { missedLimits, runFault, type Outcome } from '../test/faults/run-fault.js';
import { obstacle } from '../test/faults/stage.js';
import { numberOption, option } from './options.js';
import { postgresBinaries } from './package-of-tests.js';
import { writePageSection } from './page-section.js';
import { root } from './shipped-policy.js';
import { machineLoad } from './weir-service.js';

/**
 * Measures the effect of faults on clients: each fault is injected while twelve clients call, and the log is compared
 * with their answers. Exits 1 when an acknowledged event is missing or stored twice, when an answer arrives more than
 * two seconds after its deadline, when readiness reports a fault too late, or when calls are not accepted again within two seconds.
 *
 * `npm run bench -- faults [--only 'disk' --times 1 --write]`; `--write` leaves the rows of other faults as they are.
 */
const PAGE = 'docs/reliability.md';
const ONLY = option('only', '');
const TIMES = numberOption('times', 0);

const HEAD = [
  '| fault | times | calls recorded | other answers | lost | twice | ends left to the sweeper | slowest s | too late | back after s | answer of `/readyz`, and other observations |',
  '|---|---|---|---|---|---|---|---|---|---|---|',
];

function rowOf({
  name,
  times,
  acknowledged,
  others,
  lost,
  twice,
  withoutEnd,
  longestMs,
  late,
  backMs,
  ...observed
}: Outcome) {
  const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
  const more = [...observed.said, observed.note].filter((each) => each !== '').join('; ');
  const cells = [name, times, acknowledged, answersText(others), lost, twice, withoutEnd];
  return `| ${[...cells, seconds(longestMs), late, seconds(backMs), more].join(' | ')} |`;
}

/** With `--write`: the existing row of the page for a fault that is not caused in this run. */
function keptRow(name: string): string[] {
  if (!process.argv.includes('--write')) return [];
  const lines = readFileSync(join(root(), PAGE), 'utf8').split('\n');
  return lines.filter((line) => line.startsWith(`| ${name} |`));
}

// Installs the PostgreSQL programs if the machine has none; the faults look for them on their own.
await postgresBinaries();
const lines = [...HEAD];
const skipped: string[] = [];
const missed: string[] = [];
for (const fault of FAULTS) {
  const why = obstacle(fault.needs);
  if (!fault.name.includes(ONLY) || why !== undefined) {
    lines.push(...keptRow(fault.name));
    if (why !== undefined) skipped.push(`Not caused, ${why}: ${fault.name}.`);
    continue;
  }
  process.stderr.write(`${fault.name}\n`);
  const long = { ...fault, holdMs: fault.longHoldMs ?? fault.holdMs };
  const outcome = await runFault(long, TIMES === 0 ? fault.times : TIMES);
  lines.push(rowOf(outcome));
  const { lost, twice } = outcome;
  const late = missedLimits(fault, outcome);
  if (lost > 0 || twice > 0 || late.length > 0) missed.push([fault.name, ...late].join('; '));
}
writePageSection(PAGE, 'faults', [...lines, '', ...skipped, `${machineLoad()} when the last row was measured.`]);
for (const name of missed) process.stderr.write(`MISSED: ${name}\n`);
process.exitCode = missed.length === 0 ? 0 : 1;
