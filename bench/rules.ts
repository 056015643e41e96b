import { judgeStage, type CompiledPolicy, type Decision, type StageToJudge } from '../src/core/index.js';
import { engineAlone } from '../src/core/decision/testdata/engine-alone.js';
import { threadMicroseconds } from './processor-time.js';
import { policyOf, shippedPolicy } from './shipped-policy.js';
import { numberOption } from './options.js';

/**
 * Measures the cost of judging a call with given facts by the number of rules at its stage, compared with the rule
 * engine evaluating every rule. Both judge the same calls in alternating rounds of one run; a round with differing
 * answers is discarded. CPU time of the judging thread, so that other work on the machine counts little.
 *
 * `npm run bench -- rules [--rounds 7] [--evaluations 400]`
 */
const ROUNDS = numberOption('rounds', 7);
const EVALUATIONS = numberOption('evaluations', 400);
const NOW_MS = Date.parse('2026-11-21T09:00:00Z');
/** Goals: number of rules, and microseconds per evaluation in which at most one rule fires. */
const WANTED: readonly (readonly [number, number])[] = [
  [8, 30],
  [50, 80],
  [200, 300],
];

/** A policy with rules as people write them, on findings, models and teams. No two rules have the same condition. */
function rules(count: number): string {
  const made = Array.from({ length: count }, (_, index) => {
    const when = [
      `{ all: [ { pii.types: { any_of: [EMAIL, US_SSN] } }, { metadata.team: { eq: team-${index} } } ] }`,
      `{ any: [ { prompt_injection.score: { gte: ${0.5 + index / 1_000} } }, { secrets.count: { gt: ${index} } } ] }`,
      `{ all: [ { not: { model.name: { in: [gpt-4o, m-${index}] } } }, { request.max_tokens: { gt: ${index} } } ] }`,
      `{ all: [ { pii.count: { gte: ${index + 1} } }, { app.name: { starts_with: a${index} } }, { metadata.user: { matches: "^x${index}" } } ] }`,
    ][index % 4]!;
    return `  - { id: r${index}, stage: pre, when: ${when}, then: { action: block }, on_unknown: match }`;
  });
  return `apiVersion: weir/v1
kind: Policy
metadata: { id: bench, title: Bench, owner: bench@example.com }
environment: production
default: allow
detectors:
  pii: { plugin: pii@^1 }
  secrets: { plugin: secrets@^1 }
  prompt_injection: { plugin: prompt-injection }
rules:
${made.join('\n')}
`;
}

/** Calls of a chat. @param hit whether one rule of the policy fires */
function calls(policy: CompiledPolicy, hit: boolean): StageToJudge[] {
  const nothing = { types: [], count: 0, score: 0, counts: {} };
  return Array.from({ length: 50 }, (_, index) => ({
    stage: 'pre',
    nowMs: NOW_MS,
    clientMonitor: false,
    facts: {
      environment: policy.environment,
      declared_environment: policy.environment,
      provider: 'openai',
      model: { name: 'gpt-4o' },
      app: { id: 'a1', name: 'web' },
      key: { id: `k${index}`, name: 'ci' },
      metadata: { team: hit ? 'team-4' : 'search', user: `u-${index}` },
      session: { id: `s-${index}` },
      context: { sources: null },
      request: { max_tokens: null, stream: false },
      pii: hit ? { types: ['EMAIL'], count: 1, score: 0.9, counts: { EMAIL: 1 } } : nothing,
      secrets: nothing,
      prompt_injection: { ...nothing, score: 0.1 },
      tools: { declared: [] },
      history: { tool_calls: [], tool_results: [] },
    },
  }));
}

type Judge = (policy: CompiledPolicy, input: StageToJudge) => Promise<Decision>;

async function microseconds(judge: Judge, policy: CompiledPolicy, inputs: readonly StageToJudge[]): Promise<number> {
  const before = threadMicroseconds();
  for (let index = 0; index < EVALUATIONS; index += 1) await judge(policy, inputs[index % inputs.length]!);
  return (threadMicroseconds() - before) / EVALUATIONS;
}

async function mustAgree(policy: CompiledPolicy, inputs: readonly StageToJudge[], fired: number): Promise<void> {
  for (const input of inputs) {
    const [own, alone] = [await judgeStage(policy, input), await engineAlone(policy, input)];
    if (JSON.stringify(own) !== JSON.stringify(alone)) throw new Error('the two judge a call differently: no figure');
    if (fired >= 0 && own.fired.length !== fired) throw new Error(`${own.fired.length} rules fired, not ${fired}`);
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

let isFast = true;

async function row(
  name: string,
  policy: CompiledPolicy,
  hit: boolean,
  fired: number,
  wanted?: number,
): Promise<string> {
  const inputs = calls(policy, hit);
  await mustAgree(policy, inputs, fired);
  for (let warming = 0; warming < 3; warming += 1) {
    await microseconds(judgeStage, policy, inputs);
    await microseconds(engineAlone, policy, inputs);
  }
  const [own, alone]: [number[], number[]] = [[], []];
  for (let index = 0; index < ROUNDS; index += 1) {
    own.push(await microseconds(judgeStage, policy, inputs));
    alone.push(await microseconds(engineAlone, policy, inputs));
  }
  if (wanted !== undefined && median(own) > wanted) isFast = false;
  const cells = [median(own), Math.min(...own), median(alone), Math.min(...alone)].map((time) => time.toFixed(0));
  const share = (median(own) / median(alone)).toFixed(2);
  return `| ${[name, ...cells, share, wanted === undefined ? '' : `≤ ${wanted}`].join(' | ')} |`;
}

const lines: string[] = [];
const shipped = shippedPolicy();
lines.push(await row('production rules as they come with Weir, a plain call', shipped, false, -1));
for (const [count, wanted] of WANTED) {
  const policy = policyOf(rules(count));
  lines.push(await row(`${count} rules, none fires`, policy, false, 0, wanted));
  lines.push(await row(`${count} rules, one fires`, policy, true, 1, wanted));
}
process.stdout.write(
  [
    `${ROUNDS} rounds of ${EVALUATIONS} evaluations in turn, µs of CPU time each`,
    '',
    '| | Weir median | best | engine alone median | best | ratio | wanted |',
    '|---|---|---|---|---|---|---|',
    ...lines,
    '',
  ].join('\n'),
);
if (!isFast) process.exitCode = 1;
