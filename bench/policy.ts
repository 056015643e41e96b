import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './shipped-policy.js';
import { numberOption } from './options.js';

/**
 * Measures the duration of the policy commands on the shipped policies, as a person at a terminal experiences it: whole
 * processes, including their start. The output also contains the CPU time (user and system, all threads), which
 * other load changes less, and its ratio to that of an idle Node process.
 *
 * `npm run bench -- policy [--runs 5]`
 */
const RUNS = numberOption('runs', 5);

interface Row {
  readonly name: string;
  readonly wantedMs?: number;
  readonly commands: readonly (readonly string[])[];
  readonly env?: Readonly<Record<string, string>>;
}

const COLD = { NODE_DISABLE_COMPILE_CACHE: '1' };
const ROWS: readonly Row[] = [
  { name: 'weir --version (start alone)', wantedMs: 250, commands: [['--version']] },
  { name: 'weir lint', commands: [['lint']] },
  { name: 'weir test', commands: [['test']] },
  { name: 'weir lint + weir test', wantedMs: 1_000, commands: [['lint'], ['test']] },
  { name: 'the same, nothing kept of earlier runs', commands: [['lint'], ['test']], env: COLD },
  { name: 'weir test --coverage', commands: [['test', '--coverage']] },
  { name: 'weir test --detectors live', commands: [['test', '--detectors', 'live']] },
  { name: 'weir mutate', wantedMs: 2_000, commands: [['mutate']] },
];

/** Module that prints the CPU time of a process when it exits. */
const METER = `data:text/javascript,${encodeURIComponent(
  `process.on('exit', () => { const { user, system } = process.cpuUsage(); process.stderr.write('\\ncpu ' + (user + system)); });`,
)}`;
const MAIN = join(root(), 'dist', 'cli', 'main.js');

interface Cost {
  readonly wallMs: number;
  readonly cpuMs: number;
}

function run(argv: readonly string[], env: Row['env']): Cost {
  const startedMs = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['--import', METER, ...argv], {
    cwd: root(),
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  const wallMs = performance.now() - startedMs;
  const cpu = /\ncpu (\d+)$/.exec(stderr)?.[1];
  if (status !== 0 || cpu === undefined) throw new Error(`${argv.join(' ')} ended with ${String(status)}: ${stderr}`);
  return { wallMs, cpuMs: Number(cpu) / 1_000 };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function costs({ commands, env }: Pick<Row, 'commands' | 'env'>, main: readonly string[]): Cost[] {
  return Array.from({ length: RUNS }, () =>
    commands
      .map((argv) => run([...main, ...argv], env))
      .reduce((sum, one) => ({ wallMs: sum.wallMs + one.wallMs, cpuMs: sum.cpuMs + one.cpuMs })),
  );
}

const idleMs = median(costs({ commands: [['--eval', '0']] }, []).map(({ cpuMs }) => cpuMs));
// The first run fills the compile cache of V8 for the others.
run([MAIN, 'lint'], undefined);
const lines = ROWS.map((row) => {
  const made = costs(row, [MAIN]);
  const [wall, cpu] = [made.map(({ wallMs }) => wallMs), made.map(({ cpuMs }) => cpuMs)];
  const cells = [median(wall), Math.min(...wall), median(cpu), Math.min(...cpu)].map((ms) => ms.toFixed(0));
  const times = (Math.min(...cpu) / idleMs).toFixed(1);
  return `| ${[row.name, ...cells, times, row.wantedMs === undefined ? '' : `< ${row.wantedMs}`].join(' | ')} |`;
});
process.stdout.write(
  [
    `${RUNS} runs of whole processes over the shipped policies; a Node that does nothing takes ${idleMs.toFixed(0)} ms`,
    '',
    '| | median ms | best ms | processor ms, median | best | × idle Node | wanted ms |',
    '|---|---|---|---|---|---|---|',
    ...lines,
    '',
  ].join('\n'),
);
const decisions = spawnSync(process.execPath, [MAIN, 'bench'], { cwd: root(), encoding: 'utf8' });
process.stdout.write(`\n${decisions.stdout}`);
