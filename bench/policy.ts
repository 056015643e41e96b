import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './shipped-policy.js';

/**
 * How long the commands on policies take over the shipped policies, as somebody at a terminal waits for them: whole
 * processes, start included, median and best of some runs.
 *
 * `npm run bench -- policy [--runs 5]`
 */
const index = process.argv.indexOf('--runs');
const RUNS = index === -1 ? 5 : Number(process.argv[index + 1]);

interface Row {
  readonly name: string;
  readonly wantedMs?: number;
  readonly commands: readonly (readonly string[])[];
}

const ROWS: readonly Row[] = [
  { name: 'weir --version (start alone)', wantedMs: 250, commands: [['--version']] },
  { name: 'weir lint + weir test', wantedMs: 1_000, commands: [['lint'], ['test']] },
  { name: 'weir test --coverage', commands: [['test', '--coverage']] },
  { name: 'weir mutate', wantedMs: 2_000, commands: [['mutate']] },
];

function runMs(argv: readonly string[]): number {
  const startedMs = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [join(root(), 'dist', 'cli', 'main.js'), ...argv], {
    cwd: root(),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`weir ${argv.join(' ')} ended with ${String(status)}: ${stderr.trimEnd()}`);
  return performance.now() - startedMs;
}

const lines = ROWS.map(({ name, wantedMs, commands }) => {
  const times = Array.from({ length: RUNS }, () => commands.reduce((sum, argv) => sum + runMs(argv), 0)).sort(
    (a, b) => a - b,
  );
  const middle = times[Math.floor(times.length / 2)]!;
  const wanted = wantedMs === undefined ? '' : `< ${wantedMs}`;
  return `| ${name} | ${middle.toFixed(0)} | ${times[0]!.toFixed(0)} | ${wanted} |`;
});
process.stdout.write(
  [
    `${RUNS} runs of whole processes over the shipped policies`,
    '',
    '| | median ms | best ms | wanted |',
    '|---|---|---|---|',
    ...lines,
    '',
  ].join('\n'),
);
const decisions = spawnSync(process.execPath, [join(root(), 'dist', 'cli', 'main.js'), 'bench'], {
  cwd: root(),
  encoding: 'utf8',
});
process.stdout.write(`\n${decisions.stdout}`);
