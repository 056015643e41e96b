import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { numberOption } from './options.js';
import { root } from './shipped-policy.js';

/**
 * Measures the cost of the policy commands for the policies of a large company: 200 rules in 40 files with a test of
 * each, in a repository where a tenth of the rules changed since the last commit. Measures whole processes, including
 * their start; the CPU time is that of all threads, which other load changes less than the elapsed time.
 *
 * `npm run bench -- policy-commands [--runs 3] [--rules 200] [--files 40]`
 */
const RUNS = numberOption('runs', 3);
const RULES = numberOption('rules', 200);
const FILES = numberOption('files', 40);
const CHANGED_EVERY = 10;

const HEAD = (id: string): string => `apiVersion: weir/v1
kind: Policy
metadata: { id: ${id}, title: ${id}, owner: bench@example.com }
`;

/** A rule with conditions as people write them, different for each index, and the text, model or tool of a test that satisfies them. */
function rule(
  index: number,
  threshold: number,
): { readonly when: string; readonly stage: string; readonly test: string } {
  const team = `metadata: { team: team-${index} }`;
  const kinds = [
    {
      stage: 'pre',
      when: `[{ pii.types: { any_of: [EMAIL, PHONE] } }, { metadata.team: { eq: team-${index} } }]`,
      test: `${team}, detectors: stub, text: 'to {{EMAIL:x}}'`,
    },
    {
      stage: 'pre',
      when: `[{ metadata.size: { gt: ${threshold} } }, { model.name: { in: [m-${index}, n-${index}] } }]`,
      test: `model: { name: m-${index} }, metadata: { size: ${threshold + 1} }, text: hello`,
    },
    {
      stage: 'tool',
      when: `[{ tool.name: { tool_any_of: [tool_${index}, other_${index}] } }, { tool.args.amount: { gt: ${threshold} } }]`,
      test: `stage: tool, tool: { name: tool_${index}, args: { amount: ${threshold + 1} } }`,
    },
    {
      stage: 'post',
      when: `[{ secrets.count: { gt: 0 } }, { metadata.team: { eq: team-${index} } }]`,
      test: `stage: post, ${team}, detectors: stub, text: 'key {{github_pat:x}}'`,
    },
  ];
  return kinds[index % kinds.length]!;
}

/** The files of the imaginary company by their paths. @param isChanged whether a tenth of the rules have changed thresholds */
function company(isChanged: boolean): Map<string, string> {
  const shared = Array.from({ length: FILES - 1 }, (_, file) => `part-${file}`);
  const rulesOf = (file: number): number[] =>
    Array.from({ length: RULES }, (_, index) => index).filter((index) => index % shared.length === file);
  const files = new Map<string, string>([
    [
      'policies/production/policy.yaml',
      `${HEAD('production')}environment: production
default: allow
mode: enforce
client_monitor_mode: ignore
content: redacted
extends: [${shared.map((name) => `../_shared/${name}.yaml`).join(', ')}]
detectors:
  pii: { plugin: pii@^1 }
  secrets: { plugin: secrets@^1 }
`,
    ],
  ]);
  for (const [file, name] of shared.entries()) {
    const rules = rulesOf(file).map((index) => {
      const { when, stage } = rule(index, isChanged && index % CHANGED_EVERY === 0 ? index + 5 : index);
      return `  - id: rule-${index}\n    title: Rule ${index}\n    stage: ${stage}\n    severity: medium\n    when: { all: ${when} }\n    then: { action: block }\n    on_unknown: match\n`;
    });
    files.set(`policies/_shared/${name}.yaml`, `${HEAD(name)}rules:\n${rules.join('')}`);
    const tests = rulesOf(file).map(
      (index) =>
        `  - { id: rule-${index}, ${rule(index, index + 5).test}, expect: { action: block, rules: [rule-${index}] } }\n`,
    );
    files.set(
      `policies/tests/${name}.test.yaml`,
      `apiVersion: weir/v1\nkind: PolicyTest\ntitle: ${name}\nenvironments: [production]\ndefaults: { app: { name: web }, model: { name: gpt-4o } }\ntests:\n${tests.join('')}`,
    );
  }
  return files;
}

function put(folder: string, files: ReadonlyMap<string, string>): void {
  for (const [file, text] of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
}

const METER = `data:text/javascript,${encodeURIComponent(
  `process.on('exit', () => { const { user, system } = process.cpuUsage(); process.stderr.write('\\ncpu ' + (user + system)); });`,
)}`;

function cost(folder: string, argv: readonly string[]): { readonly wallMs: number; readonly cpuMs: number } {
  const startedMs = performance.now();
  const main = join(root(), 'dist', 'cli', 'main.js');
  const { stderr, stdout, status } = spawnSync(process.execPath, ['--import', METER, main, ...argv], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  const cpu = /\ncpu (\d+)$/.exec(stderr)?.[1];
  if (cpu === undefined || status === null || status > 1) throw new Error(`weir ${argv.join(' ')}: ${stdout}${stderr}`);
  return { wallMs: performance.now() - startedMs, cpuMs: Number(cpu) / 1_000 };
}

const folder = mkdtempSync(join(tmpdir(), 'weir-company-'));
try {
  const git = (...argv: string[]): void => {
    const { status } = spawnSync('git', ['-c', 'user.name=n', '-c', 'user.email=n@example.com', ...argv], {
      cwd: folder,
    });
    if (status !== 0) throw new Error(`git ${argv.join(' ')} failed`);
  };
  put(folder, company(false));
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'one');
  put(folder, company(true));
  process.stdout.write(
    `${RULES} rules in ${FILES} files, ${RUNS} runs, the least of each\n\n| command | ms | processor ms | wanted ms |\n|---|---|---|---|\n`,
  );
  for (const [argv, wanted] of [
    [['lint'], 'lint and test: 2000'],
    [['test'], ''],
    [['diff', '--witness'], '5000'],
    [['mutate'], '10000'],
  ] as const) {
    const runs = Array.from({ length: RUNS }, () => cost(folder, argv));
    const least = (key: 'wallMs' | 'cpuMs'): string => Math.min(...runs.map((run) => run[key])).toFixed(0);
    process.stdout.write(`| weir ${argv.join(' ')} | ${least('wallMs')} | ${least('cpuMs')} | ${wanted} |\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
