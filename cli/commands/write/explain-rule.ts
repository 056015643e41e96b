import { z } from 'zod';
import {
  describeRule,
  policyOwners,
  runPolicyTests,
  testsOfRule,
  type PolicyTestResult,
} from '../../../src/authoring/index.js';
import type { CompiledPolicy, CompiledRule } from '../../../src/core/index.js';
import { defineCommand } from '../../command.js';
import { EXIT, usageError, type Outcome } from '../../exit-code.js';
import {
  loadCompiledProject,
  POLICIES_OPTION,
  printProblems,
  type CompiledProject,
} from '../../input/compiled-project.js';
import { write, type Io } from '../../io.js';
import { colours, type Colours } from '../../output/colour.js';
import { required } from '../../../src/core/index.js';

const tests = z.object({ fires: z.array(z.string()), rests: z.array(z.string()), unavailable: z.array(z.string()) });

/** The JSON output of `weir explain-rule`. */
const EXPLAIN_RULE_REPORT = z.object({
  schemaVersion: z.literal(1),
  id: z.string(),
  owner: z.string().optional(),
  file: z.string(),
  line: z.int(),
  overrides: z.array(z.object({ file: z.string(), line: z.int(), because: z.string() })),
  environments: z.array(z.object({ environment: z.string(), text: z.array(z.string()), tests })),
});
type Report = z.infer<typeof EXPLAIN_RULE_REPORT>;

/** `weir explain-rule`: describes one rule in sentences, with its place in the files, its owner and its tests. */
export const explainRule = defineCommand({
  usage: 'explain-rule <id>',
  summary: 'Describe a rule in sentences: conditions, source, owner and tests',
  positionals: {
    id: { type: 'string', demandOption: true, describe: 'Rule id such as pii.redact-contact' },
  },
  options: {
    ...POLICIES_OPTION,
  },
  examples: [['$0 explain-rule pii.redact-contact', 'conditions and action of the rule, and its tests']],
  output: EXPLAIN_RULE_REPORT,

  async run(args, context): Promise<Outcome> {
    const { io } = context;
    const project = await loadCompiledProject(args, context);
    const found = [...project.policies.values()].flatMap((policy) => {
      const rule = policy.rules.find(({ id, formerly }) => id === args.id || formerly.includes(args.id));
      return rule === undefined ? [] : [{ policy, rule }];
    });
    const [first] = found;
    if (first === undefined) throw usageError(unknownRule(args.id, project));
    const report = await reportOf(found, first, project, io);
    const text = args.json
      ? `${JSON.stringify(report, null, 2)}\n`
      : pretty(report, colours(io.stdout, io.env, args.color));
    await write(io.stdout, text);
    return {
      exit: EXIT.ok,
      words: `${report.id} is in force in ${report.environments.map(({ environment }) => environment).join(', ')}`,
    };
  },
});

function unknownRule(id: string, { policies }: CompiledProject): string {
  const known = [...new Set([...policies.values()].flatMap(({ rules }) => rules.map((rule) => rule.id)))].sort();
  return `there is no rule "${id}"; there are: ${known.join(', ')}`;
}

interface Found {
  readonly policy: CompiledPolicy;
  readonly rule: CompiledRule;
}

async function reportOf(
  found: readonly Found[],
  { policy, rule }: Found,
  project: CompiledProject,
  io: Io,
): Promise<Report> {
  const results = await testResults(project, io);
  const owner = policyOwners(project.project.sources).get(rule.policy);
  const place = required(policy.sources.rules[rule.id], rule.id);
  return {
    schemaVersion: 1,
    id: rule.id,
    ...(owner !== undefined && { owner }),
    file: place.at.file,
    line: place.at.line,
    overrides: place.overrides.map(({ at, because }) => ({ file: at.file, line: at.line, because })),
    environments: found.map((one) => ({
      environment: one.policy.environment,
      text: describeRule(one.rule, one.policy),
      tests: testsOfRule(one.rule.id, one.policy.environment, results),
    })),
  };
}

async function testResults(
  { project, policies, catalog }: CompiledProject,
  io: Io,
): Promise<readonly PolicyTestResult[]> {
  if (project.tests.length === 0) return [];
  const { results, problems } = await runPolicyTests({
    files: project.tests,
    policies,
    plugins: catalog,
    nowMs: Date.now(),
    leaveOut: 'live',
  });
  await printProblems(problems, project.sources, io);
  return results;
}

function pretty(report: Report, paint: Colours): string {
  const lines = [
    `${paint.bold(report.id)}  ${paint.dim(`${report.file}:${report.line}`)}`,
    `owner: ${report.owner ?? 'none'}`,
    ...report.overrides.map(({ file, line, because }) => `overridden in ${file}:${line}: ${because}`),
    ...report.environments.flatMap(({ environment, text, tests: { fires, rests, unavailable } }) => [
      '',
      paint.bold(environment),
      ...text.map((line) => `  ${line}`),
      `  tests in which it fires: ${listed(fires)}`,
      `  tests in which it does not: ${rests.length}`,
      `  tests in which a detector was unavailable: ${listed(unavailable)}`,
    ]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** The ids as text; rows of the same table are counted under one id. */
function listed(ids: readonly string[]): string {
  if (ids.length === 0) return 'none';
  const counts = new Map<string, number>();
  for (const id of ids) {
    const name = id.replace(/\[\d+\]$/, '');
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name} (${count} rows)`)).join(', ');
}
