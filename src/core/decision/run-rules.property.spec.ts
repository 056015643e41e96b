import { seededRandom } from '../../../test/support/seeded-random.js';
import { Withheld, type Truth } from '../facts/withheld.js';
import { AtLeast, Unknown, type FactSet, type FactValue, type Stage } from '../model/fact.js';
import { policyOf, DETECTORS, head } from '../policy/testdata/sample-policy.js';
import { engineLeaves } from '../policy/engine-rules.js';
import { withEntries } from '../policy/list-operands.js';
import type { CompiledPolicy } from '../model/compiled-policy.js';
import { answerKey } from './answer-key.js';
import { decide } from './decide.js';
import { evaluate } from './evaluate.js';
import { parseOperatorName, runtimeOf } from './policy-runtime.js';
import { answersOf, runRules, type RuleOutcome } from './run-rules.js';
import { engineOutcomes } from './testdata/engine-alone.js';
import { FACTS, found, NOW_MS } from './testdata/judge.js';

/** Number of compared evaluations; 1,000,000 before a release. */
const EVALUATIONS = Number(process.env['WEIR_TEST_RULE_EVALUATIONS'] ?? 1_000);
/** Evaluations per policy; compiling a policy takes as long as a hundred evaluations. */
const PER_POLICY = Math.min(400, Math.ceil(EVALUATIONS / 10));
const STAGES: readonly Stage[] = ['pre', 'post', 'tool'];
const random = seededRandom(Number(process.env['WEIR_TEST_SEED']));

const below = (end: number): number => Math.floor(random() * end);
const oneOf = <T>(items: readonly T[]): T => items[below(items.length)]!;
const some = <T>(least: number, most: number, make: () => T): T[] =>
  Array.from({ length: least + below(most - least + 1) }, make);

const LISTS = 'lists: { models: [gpt-4o, o3], domains: [acme.example, "*.eu.example"], numbers: [1, 2, 3] }\n';
/** Every operator, on facts from the caller, detectors and budgets. */
const METADATA: readonly object[] = [
  ...[1, 2.5, -1].flatMap((value) => ['gt', 'gte', 'lt', 'lte', 'eq', 'ne'].map((op) => ({ [op]: value }))),
  ...['a', 'gpt-4o', true].map((value) => ({ eq: value })),
  { in: ['a', 'b', 1] },
  { not_in: ['a', true] },
  { in: '$lists.models' },
  { in: '$lists.numbers' },
  { any_of: ['a', 'b'] },
  { all_of: ['a', 'b'] },
  { none_of: ['a'] },
  { any_of: '$lists.models' },
  { contains: 'a' },
  { starts_with: 'a' },
  { ends_with: 'a' },
  { matches: '^[ab]+$' },
  { eq_ci: 'A' },
  { before: '2026-06-01' },
  { after: '2026-06-01' },
  { semver_gte: '1.2.0' },
  { exists: true },
  { exists: false },
  { email_domain_in: '$lists.domains' },
  { url_host_in: ['acme.example'] },
];
const FOUND: readonly object[] = [
  ...['pii', 'secrets', 'prompt_injection'].flatMap((key) => [
    { [`${key}.count`]: { gt: 0 } },
    { [`${key}.count`]: { eq: 0 } },
    { [`${key}.count`]: { lt: 2 } },
    { [`${key}.score`]: { gte: 0.5 } },
  ]),
  { 'pii.types': { any_of: ['EMAIL', 'PHONE'] } },
  { 'pii.types': { all_of: ['EMAIL', 'PHONE'] } },
  { 'pii.types': { none_of: ['EMAIL'] } },
  { 'pii.counts.EMAIL': { gte: 2 } },
  { 'secrets.types': { contains: 'github_pat' } },
  { 'model.name': { in: '$lists.models' } },
  { 'model.name': { matches: '^gpt' } },
  { provider: 'openai' },
  { 'request.max_tokens': { gt: 100 } },
  { 'request.stream': true },
  { 'session.id': { exists: true } },
  { 'context.sources': { any_of: ['web', 'mail'] } },
  { 'budgets.team.used_ratio': { gte: 0.5 } },
  { 'budgets.team.remaining': { lt: 1 } },
];
const CALLED: readonly object[] = [
  { tool_calls: { some: { name: 'send' } } },
  { tool_calls: { none: { all: [{ name: 'send' }, { not: { 'args.to': { email_domain_in: '$lists.domains' } } }] } } },
  { 'history.tool_calls': { some: { name: { in: ['fetch', 'send'] } } } },
];
const IN_TOOL: readonly object[] = [
  ...CALLED,
  { 'tool.name': 'send' },
  { 'tool.name': { in: ['send', 'fetch'] } },
  { 'tool.args.to': { eq: 'a' } },
  { 'tool.args.to': { starts_with: 'a' } },
  { flow: { from: { tool_result: { name: 'fetch' } }, to: { tool_call: { name: 'send' } } } },
];

function leaf(stage: Stage): object {
  const kind = below(stage === 'pre' ? 2 : 3);
  if (kind === 0) return { [`metadata.${oneOf(['f0', 'f1', 'f2', 'f3.deep', 'f3.0'])}`]: oneOf(METADATA) };
  return kind === 1 ? oneOf(FOUND) : oneOf(stage === 'tool' ? IN_TOOL : CALLED);
}

function condition(stage: Stage, depth: number): object {
  const kind = depth === 0 ? 0 : below(6);
  if (kind < 3) return leaf(stage);
  if (kind === 3) return { not: condition(stage, depth - 1) };
  return { [kind === 4 ? 'all' : 'any']: some(1, 4, () => condition(stage, depth - 1)) };
}

function rule(index: number): object {
  const stage = oneOf(STAGES);
  const action = oneOf(['flag', 'block', 'redact', 'allow'] as const);
  const redact = { redact: { entities: ['EMAIL'] } };
  return {
    id: `r${index}`,
    stage: action === 'redact' ? oneOf(['pre', 'post']) : stage,
    severity: oneOf(['low', 'medium', 'high', 'critical']),
    when: condition(action === 'redact' ? 'pre' : stage, 3),
    then: { action, ...(action === 'redact' && redact) },
    on_unknown: action === 'allow' ? 'no_match' : oneOf(['match', 'no_match']),
  };
}

function policy(): CompiledPolicy {
  const rules = some(1, 9, () => 0).map((_, index) => rule(index));
  const exception = {
    ...{ id: 'EX-1', rules: ['r0'], because: 'b', approved_by: 'a', ticket: 't', expires: '2026-12-31T23:59:59Z' },
    ...{ effect: oneOf(['skip', 'monitor']), when: condition('pre', 2) },
  };
  const budget = { id: 'team', scope: ['app'], window: { per: 'day' }, limit: { usd: 250 }, on_exceed: 'record' };
  const lines = [
    head('', 'development').replace('default: allow', `default: ${oneOf(['allow', 'block'])}`) + DETECTORS + LISTS,
    `rules: ${JSON.stringify(rules)}`,
    ...(random() < 0.5 ? [`exceptions: ${JSON.stringify([exception])}`] : []),
    `budgets: ${JSON.stringify([budget])}`,
  ];
  return policyOf(`${lines.join('\n')}\n`, 'development');
}

const SCALARS: readonly FactValue[] = [
  'a',
  'b',
  'ab',
  '',
  'gpt-4o',
  '1.3.0',
  '2026-01-01',
  'bob@acme.example',
  0,
  1,
  2.5,
  7,
  true,
  null,
];
const CALL = (): FactValue =>
  oneOf<FactValue>([
    { name: 'send', args: { to: oneOf(['x@acme.example', 'x@evil.example']) } },
    { name: 'fetch', args: {} },
    { name: 'send' },
    {},
    'send',
    null,
  ]);

function anything(depth = 2): FactValue {
  const kind = below(depth === 0 ? 6 : 9);
  if (kind < 6) return oneOf(SCALARS);
  if (kind === 6) return some(0, 3, () => anything(depth - 1));
  return kind === 7
    ? { f0: anything(depth - 1), deep: anything(depth - 1), '0': anything(depth - 1) }
    : new Unknown(oneOf(['failed', 'timeout', 'not_run', 'unavailable']), 'pii');
}

/** The regular fact, or an absent, unknown, withheld or partly known one, or one of an unexpected type. */
function disturbed(name: string, value: FactValue, policyAnswers: ReadonlyMap<string, Truth>): FactValue | undefined {
  switch (below(12)) {
    case 0:
      return undefined;
    case 1:
      return new Unknown('failed', name);
    case 2:
      return new Withheld(name, policyAnswers, oneOf(['true', 'false']));
    case 3:
      return new AtLeast('documents', value);
    case 4:
      return anything();
    default:
      return value;
  }
}

function facts(answers: ReadonlyMap<string, Truth>): FactSet {
  const types = (): string[] => some(0, 2, () => oneOf(['EMAIL', 'PHONE', 'github_pat']));
  const usual: Record<string, FactValue> = {
    ...FACTS,
    provider: oneOf(['openai', 'anthropic', null]),
    model: { name: oneOf(['gpt-4o', 'o3', 'claude', null]) },
    request: { max_tokens: oneOf([null, 50, 500]), stream: random() < 0.5 },
    metadata: Object.fromEntries(
      ['f0', 'f1', 'f2', 'f3', ...(random() < 0.3 ? ['f3.deep'] : [])].map((name) => [name, anything()]),
    ),
    session: { id: oneOf([null, 's']) },
    context: { sources: oneOf<FactValue>([null, [], ['web'], ['mail', 'crm']]) },
    pii: found(...types()),
    secrets: found(...types()),
    prompt_injection: found(),
    budgets: { team: { used_ratio: random(), used: 1, remaining: oneOf([0.5, 100]) } },
    tool: { name: oneOf(['send', 'fetch', 'mcp__x__send']), args: { to: oneOf(SCALARS) } },
    tool_calls: some(0, 2, CALL),
    history: { tool_calls: some(0, 2, CALL), tool_results: [] },
    flow: {
      events: some(0, 2, () => ({ kind: 'tool_result', name: oneOf(['fetch', 'send']) })),
      current: { name: 'send' },
    },
  };
  const isCalm = random() < 0.3;
  return Object.fromEntries(
    Object.entries(usual).flatMap(([name, value]) => {
      const given = isCalm ? value : disturbed(name, value, answers);
      return given === undefined ? [] : [[name, given]];
    }),
  );
}

/** Random recorded results for some of the conditions. */
function recorded(policy: CompiledPolicy): Map<string, Truth> {
  const { stages } = policy;
  const { context } = runtimeOf(policy);
  const leaves = STAGES.flatMap((stage) =>
    stages[stage].asWritten.flatMap(({ conditions }) => engineLeaves(conditions)),
  );
  return new Map(
    leaves
      .filter(() => random() < 0.5)
      .map(({ fact, path, operator, value }) => {
        const { absence, op } = parseOperatorName(operator);
        const name = path === undefined ? fact : `${fact}.${path}`;
        return [
          answerKey(name, absence, op, withEntries(value, context)),
          oneOf<Truth>(['true', 'false', 'unknown', 'undecided']),
        ];
      }),
  );
}

function sorted(outcomes: ReadonlyMap<string, RuleOutcome>): RuleOutcome[] {
  return [...outcomes.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The outcomes of a stage's rules, with every leaf, in both readings. */
async function outcomes(one: CompiledPolicy, stage: Stage, given: FactSet): Promise<unknown> {
  const runtime = runtimeOf(one);
  const answers = answersOf(runtime, runtime.stages[stage], given);
  const asWritten = await runRules(one, runtime.stages[stage], 'first', answers);
  const certain = answers.isSomethingUnknown
    ? await runRules(one, runtime.stages[stage], 'certain', answers)
    : asWritten;
  return [sorted(asWritten), sorted(certain)];
}

describe('the rules selected for the engine', () => {
  it(`are enough: decisions are those of the engine alone in ${EVALUATIONS} random evaluations`, async () => {
    const seen = { fired: 0, unavailable: 0, quiet: 0 };
    for (let done = 0; done < EVALUATIONS;) {
      const one = policy();
      for (let index = 0; index < PER_POLICY && done < EVALUATIONS; index += 1, done += 1) {
        const input = { stage: oneOf(STAGES), nowMs: NOW_MS, facts: facts(recorded(one)), clientMonitor: false };
        const decision = await evaluate(one, input);
        const engine = await engineOutcomes(one, input.stage, input.facts);
        const expected = decide({ policy: one, ...input, ...engine });
        // Comparing JSON text is fast; `toEqual` runs only to report a difference.
        if (JSON.stringify(decision) !== JSON.stringify(expected)) expect(decision).toEqual(expected);
        if (done % 10 === 0) {
          const alone = [sorted(engine.asWritten), sorted(engine.certain)];
          expect(await outcomes(one, input.stage, input.facts)).toEqual(alone);
        }
        if (expected.fired.length > 0) seen.fired += 1;
        else seen.quiet += 1;
        if (expected.unavailable) seen.unavailable += 1;
      }
    }
    // The random cases must include enough of each kind.
    expect(Math.min(seen.fired, seen.quiet, seen.unavailable)).toBeGreaterThan(EVALUATIONS / 100);
  });
});
