import { PLUGINS } from '../plugins/index.js';
import {
  bindDetectors,
  bindStructures,
  decodeAnswer,
  decodeRequest,
  parseJson,
  splice,
  type CallContext,
  type Dialect,
} from '../src/core/index.js';
import { JudgementService, type JudgeInput } from '../src/judgement/index.js';
import { policyOf } from './shipped-policy.js';

/**
 * Whether reading, judging and masking a call takes time in proportion to its size: each list and map of each dialect,
 * at growing numbers of entries, in processor time. Fails when a step grows faster than n log n.
 *
 * `npm run bench -- linear [--nodes 1000000] [--only <part of a name>]`
 */
const word = (name: string): string | undefined => {
  const index = process.argv.indexOf(`--${name}`);
  return index === -1 ? undefined : process.argv[index + 1];
};
const MAX_NODES = Number(word('nodes') ?? 1_000_000);
const ONLY = word('only') ?? '';
const STEP = 4;
const SMALLEST = 4_000;
/** Over two steps: n log n grows by about 20, n² by 256. */
const MAX_GROWTH = 40;
/** What takes less is measured too badly to say how it grows. */
const TOO_SHORT_MS = 40;

const policy = policyOf(`apiVersion: weir/v1
kind: Policy
metadata: { id: bench, title: Bench, owner: bench@example.com }
environment: production
default: allow
stages: { pre: { deadline_ms: 60000 }, post: { deadline_ms: 60000 }, tool: { deadline_ms: 60000 } }
detectors:
  marks: { plugin: keywords@^1, timeout_ms: 60000, lists: { mark: { words: [marked] } } }
rules:
  - id: bench.mask
    stage: pre
    when: { marks.types: { any_of: [mark] } }
    then: { action: redact, redact: { entities: [mark] } }
    on_unknown: match
  - id: bench.mask-answer
    stage: post
    when: { marks.types: { any_of: [mark] } }
    then: { action: redact, redact: { entities: [mark] } }
    on_unknown: match
  - id: bench.tools
    stage: tool
    when: { tool.name: { in: [never] } }
    then: { action: block, reason: tool_use_blocked }
    on_unknown: match
`);
const active = {
  policy,
  digest: 'bench',
  version: 'bench',
  detectors: bindDetectors(policy, PLUGINS),
  structures: bindStructures(policy, PLUGINS.structures),
};
const context: CallContext = {
  environment: 'production',
  declaredEnvironment: 'production',
  app: { id: 'app', name: 'bench' },
  key: { id: 'key', name: 'bench' },
};
const judge = new JudgementService({ nowMs: () => Date.now(), monotonicMs: () => performance.now() });

interface Shape {
  readonly name: string;
  readonly dialect: Dialect;
  readonly direction: 'request' | 'answer';
  /** JSON nodes per entry, about. */
  readonly nodes: number;
  body(entries: number): unknown;
}

const each = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const keyed = (count: number): object => Object.fromEntries(each(count, (i) => [`key_${i}`, `marked ${i}`]));
const text = (i: number): string => `marked ${i}`;
const chatCall = (i: number) => ({
  id: `c${i}`,
  type: 'function',
  function: { name: 'f', arguments: '{"a":"marked"}' },
});
const user = { role: 'user', content: 'hello' };

type Body = (entries: number) => unknown;
const request = (dialect: Dialect, nodes: number, name: string, body: Body): Shape => ({
  name: `${dialect} request ${name}`,
  dialect,
  direction: 'request',
  nodes,
  body,
});
const answer = (dialect: Dialect, nodes: number, name: string, body: Body): Shape => ({
  name: `${dialect} answer ${name}`,
  dialect,
  direction: 'answer',
  nodes,
  body,
});

const SHAPES: readonly Shape[] = [
  request('openai.chat', 4, 'messages', (n) => ({ messages: each(n, (i) => ({ role: 'user', content: text(i) })) })),
  request('openai.chat', 4, 'parts', (n) => ({
    messages: [{ role: 'user', content: each(n, (i) => ({ type: 'text', text: text(i) })) }],
  })),
  request('openai.chat', 14, 'tool calls and results', (n) => ({
    messages: [
      user,
      { role: 'assistant', tool_calls: each(n, chatCall) },
      ...each(n, (i) => ({ role: 'tool', tool_call_id: `c${i}`, content: text(i) })),
    ],
  })),
  request('openai.chat', 14, 'tool calls of one id', (n) => ({
    messages: each(n, (i) =>
      i % 2 === 0
        ? { role: 'assistant', tool_calls: [chatCall(1)] }
        : { role: 'tool', tool_call_id: 'c1', content: text(i) },
    ),
  })),
  request('openai.chat', 8, 'tools', (n) => ({
    messages: [user],
    tools: each(n, (i) => ({ type: 'function', function: { name: `f${i}`, description: text(i) } })),
  })),
  request('openai.chat', 2, 'unknown keys', (n) => ({ messages: [user], further: keyed(n) })),
  request('openai.chat', 2, 'keys of the root', (n) => ({ messages: [user], ...keyed(n) })),
  request('openai.chat', 2, 'metadata', (n) => ({ messages: [user], metadata: keyed(n) })),
  request('openai.chat', 3, 'keys in nested JSON', (n) => ({
    messages: [
      { role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'f', arguments: JSON.stringify(keyed(n)) } }] },
    ],
  })),
  request('openai.chat', 2, 'same key over and over', (n) => `{"messages":[${each(n, () => '"a"').join()}]}`),
  request('openai.completions', 1, 'prompts', (n) => ({ prompt: each(n, text) })),
  request('openai.embeddings', 1, 'input', (n) => ({ input: each(n, text) })),
  request('openai.embeddings', 1, 'token ids', (n) => ({ input: each(n, (i) => i) })),
  request('openai.responses', 4, 'input', (n) => ({ input: each(n, (i) => ({ role: 'user', content: text(i) })) })),
  request('openai.responses', 10, 'function calls and outputs', (n) => ({
    input: each(n, (i) =>
      i % 2 === 0
        ? { type: 'function_call', call_id: `c${i}`, name: 'f', arguments: '{"a":"marked"}' }
        : { type: 'function_call_output', call_id: `c${i - 1}`, output: text(i) },
    ),
  })),
  request('anthropic.messages', 4, 'messages', (n) => ({
    messages: each(n, (i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content: text(i) })),
  })),
  request('anthropic.messages', 4, 'system', (n) => ({
    system: each(n, (i) => ({ type: 'text', text: text(i) })),
    messages: [user],
  })),
  request('anthropic.messages', 12, 'tool uses and results', (n) => ({
    messages: [
      {
        role: 'assistant',
        content: each(n, (i) => ({ type: 'tool_use', id: `t${i}`, name: 'f', input: { a: text(i) } })),
      },
      { role: 'user', content: each(n, (i) => ({ type: 'tool_result', tool_use_id: `t${i}`, content: text(i) })) },
    ],
  })),
  request('generic', 2, 'map', keyed),
  request('generic', 1, 'list', (n) => each(n, text)),
  answer('openai.chat', 8, 'choices', (n) => ({
    choices: each(n, (i) => ({ index: i, message: { role: 'assistant', content: text(i) } })),
  })),
  answer('openai.chat', 7, 'tool calls', (n) => ({
    choices: [{ index: 0, message: { role: 'assistant', tool_calls: each(n, chatCall) } }],
  })),
  answer('openai.chat', 5, 'annotations', (n) => ({
    choices: [{ message: { content: 'x', annotations: each(n, (i) => ({ type: 'url_citation', title: text(i) })) } }],
  })),
  answer('openai.responses', 7, 'output', (n) => ({
    output: each(n, (i) => ({ type: 'message', content: [{ type: 'output_text', text: text(i) }] })),
  })),
  answer('openai.responses', 5, 'function calls', (n) => ({
    output: each(n, (i) => ({ type: 'function_call', call_id: `c${i}`, name: 'f', arguments: '{"a":"marked"}' })),
  })),
  answer('anthropic.messages', 4, 'content', (n) => ({ content: each(n, (i) => ({ type: 'text', text: text(i) })) })),
  answer('anthropic.messages', 6, 'tool uses', (n) => ({
    content: each(n, (i) => ({ type: 'tool_use', id: `t${i}`, name: 'f', input: { a: text(i) } })),
  })),
  answer('generic', 2, 'map', keyed),
];

const STEPS = ['parse', 'decode', 'judge', 'mask'] as const;
type Times = Record<(typeof STEPS)[number], number>;

function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(since);
  return (user + system) / 1000;
}

async function measure({ dialect, direction, body }: Shape, entries: number): Promise<Times> {
  const made = body(entries);
  const written = typeof made === 'string' ? made : JSON.stringify(made);
  let since = process.threadCpuUsage();
  const doc = parseJson(written, { maxNodes: 10 * MAX_NODES });
  const parse = cpuMs(since);
  since = process.threadCpuUsage();
  const call = direction === 'request' ? decodeRequest(dialect, doc) : decodeAnswer(dialect, doc);
  const decode = cpuMs(since);
  since = process.threadCpuUsage();
  const input: JudgeInput = {
    policy: active,
    accountId: 'account',
    context,
    call,
    kind: direction === 'request' ? 'request' : 'answer',
    enforceable: true,
    monitorRequested: false,
  };
  const judgement = await judge.judge(input);
  const judged = cpuMs(since);
  since = process.threadCpuUsage();
  splice(doc, call.segments, judgement.edits);
  return { parse, decode, judge: judged, mask: cpuMs(since) };
}

/** The smaller of two runs: the collector of garbage comes at any time. */
async function measureTwice(shape: Shape, entries: number): Promise<Times> {
  const [one, other] = [await measure(shape, entries), await measure(shape, entries)];
  return Object.fromEntries(STEPS.map((step) => [step, Math.min(one[step], other[step])])) as Times;
}

const failures: string[] = [];
for (const shape of SHAPES.filter(({ name }) => name.includes(ONLY))) {
  const sizes: { readonly nodes: number; readonly times: Times }[] = [];
  const grown: string[] = [];
  await measure(shape, 500);
  for (let nodes = SMALLEST; nodes <= MAX_NODES && grown.length === 0; nodes *= STEP) {
    const times = await measureTwice(shape, Math.ceil(nodes / shape.nodes));
    const before = sizes.at(-2);
    sizes.push({ nodes, times });
    if (before === undefined) continue;
    for (const step of STEPS) {
      const growth = times[step] / Math.max(before.times[step], TOO_SHORT_MS / STEP ** 2);
      if (times[step] > TOO_SHORT_MS && growth > MAX_GROWTH) {
        grown.push(`${step} ${growth.toFixed(0)} times from ${before.nodes} to ${nodes} nodes`);
      }
    }
  }
  const { nodes, times } = sizes.at(-1)!;
  const last = STEPS.map((step) => `${step} ${times[step].toFixed(0)}`).join(', ');
  const verdict = grown.length === 0 ? 'ok  ' : 'SLOW';
  process.stdout.write(`${[`${verdict} ${shape.name}, ${nodes} nodes: ${last} ms`, ...grown].join('; ')}\n`);
  if (grown.length > 0) failures.push(shape.name);
}
process.stdout.write(`${failures.length} of ${SHAPES.length} shapes grow faster than n log n\n`);
process.exitCode = failures.length === 0 ? 0 : 1;
