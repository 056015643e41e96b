import {
  assembleList,
  assembleStream,
  decodeAnswer,
  decodeRequest,
  parseJson,
  planAnswer,
  splice,
  type DecodedCall,
  type Edit,
} from '../src/core/index.js';
import { embeddedContents } from '../src/contents/index.js';
import { JudgementService, type JudgeInput } from '../src/judgement/index.js';
import { FIELD_SHAPES } from './field-shapes.js';
import { SHAPES } from './linear-shapes.js';
import type { Shape } from './shape.js';
import { CONTEXT, inForce, policyOf } from './shipped-policy.js';
import { numberOption, option } from './options.js';

/**
 * Measures whether the CPU time of reading, judging and masking a call grows in proportion to its size: each list
 * and map of each dialect, files, event streams, and calls designed to be slow, at two sizes. Exits 1 when a step grows
 * faster than n log n. `--part` measures only a part of the shapes, for busy machines.
 *
 * `npm run bench -- linear [--nodes 1000000] [--only <part of a name>] [--part 1/4]`
 */
const MAX_NODES = numberOption('nodes', 1_000_000);
const ONLY = option('only', '');
const [PART = 1, PARTS = 1] = option('part', '1/1').split('/').map(Number);
/** Ratio of the second size to the first: the time of an n log n step grows about 20 times, that of an n² step 256 times. */
const STEP = 16;
const MAX_GROWTH = 40;
/** Shorter times are too imprecise for a growth rate. */
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
const active = inForce(policy);
const judge = new JudgementService({ nowMs: () => Date.now(), monotonicMs: () => performance.now() });

const STEPS = ['parse', 'decode', 'files', 'judge', 'mask', 'guard'] as const;
type Times = Record<(typeof STEPS)[number], number>;

function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(since);
  return (user + system) / 1000;
}

/** A decoded call, the milliseconds of each reading step, and a function that applies edits. */
interface Read {
  readonly call: DecodedCall;
  readonly parse: number;
  readonly decode: number;
  /** Milliseconds of reading the embedded files in base64. */
  readonly files: number;
  edited(edits: readonly Edit[]): string;
}

function read({ dialect, direction }: Shape, written: string): Read {
  let since = process.threadCpuUsage();
  if (direction === 'stream' || direction === 'list') {
    const read = direction === 'stream' ? assembleStream(dialect, written) : assembleList(dialect, written);
    return { call: read.call, parse: 0, decode: cpuMs(since), files: 0, edited: (edits) => read.edited(edits) };
  }
  const doc = parseJson(written, { maxNodes: 10 * MAX_NODES });
  const parse = cpuMs(since);
  since = process.threadCpuUsage();
  const call = direction === 'request' ? decodeRequest(dialect, doc) : decodeAnswer(dialect, doc);
  const decode = cpuMs(since);
  since = process.threadCpuUsage();
  embeddedContents(doc, call);
  return { call, parse, decode, files: cpuMs(since), edited: (edits) => splice(doc, call.segments, edits) };
}

const QUESTION = decodeRequest('openai.chat', parseJson('{"messages":[{"role":"user","content":"hello"}]}'));
/** Size of the pieces in which a stream arrives, in UTF-16 units. */
const CHUNK_UNITS = 16_384;

/** Guards a stream; returns the CPU time in milliseconds. */
async function guarded({ dialect }: Shape, written: string): Promise<number> {
  const base = { policy: active, accountId: 'account', context: CONTEXT };
  const asked = { ...base, call: QUESTION, kind: 'request', enforceable: true, monitorRequested: false } as const;
  const request = { call: QUESTION, judgement: await judge.judge(asked) };
  const since = process.threadCpuUsage();
  const guard = await judge.guard({ ...base, dialect, plan: planAnswer(policy, active.detectors), request });
  for (let at = 0; at < written.length; at += CHUNK_UNITS) await guard.push(written.slice(at, at + CHUNK_UNITS));
  await guard.end();
  return cpuMs(since);
}

async function measure(shape: Shape, entries: number): Promise<Times> {
  const { direction, body } = shape;
  const made = body(entries);
  const written = typeof made === 'string' ? made : JSON.stringify(made);
  const { call, parse, decode, files, edited } = read(shape, written);
  if (shape.isOnlyRead === true) return { parse, decode, files, judge: 0, mask: 0, guard: 0 };
  let since = process.threadCpuUsage();
  const input: JudgeInput = {
    policy: active,
    accountId: 'account',
    context: CONTEXT,
    call,
    kind: direction === 'request' ? 'request' : 'answer',
    enforceable: true,
    monitorRequested: false,
  };
  const judgement = await judge.judge(input);
  const judged = cpuMs(since);
  since = process.threadCpuUsage();
  edited(judgement.edits);
  const mask = cpuMs(since);
  const guard = direction === 'stream' ? await guarded(shape, written) : 0;
  return { parse, decode, files, judge: judged, mask, guard };
}

/** Measures twice, and returns the smaller time of each step, since garbage collection can happen in either run. */
async function measureTwice(shape: Shape, entries: number): Promise<Times> {
  const [one, other] = [await measure(shape, entries), await measure(shape, entries)];
  return Object.fromEntries(STEPS.map((step) => [step, Math.min(one[step], other[step])])) as Times;
}

interface Verdict {
  readonly nodes: number;
  readonly times: Times;
  /** The steps that grew too fast. */
  readonly grown: readonly string[];
}

async function judgeShape(shape: Shape): Promise<Verdict> {
  await measure(shape, 500);
  const small = MAX_NODES / STEP;
  const before = await measureTwice(shape, Math.ceil(small / shape.nodes));
  const times = await measure(shape, Math.ceil(MAX_NODES / shape.nodes));
  const grown = STEPS.flatMap((step) => {
    const growth = times[step] / Math.max(before[step], TOO_SHORT_MS / STEP);
    const isSlow = times[step] > TOO_SHORT_MS && growth > MAX_GROWTH;
    return isSlow ? [`${step} ${growth.toFixed(0)} times from ${small} to ${MAX_NODES} nodes`] : [];
  });
  return { nodes: MAX_NODES, times, grown };
}

/** A step that really grows too fast does so in every attempt; a disturbance by other load rarely affects all attempts. */
const ATTEMPTS = 3;
const failures: string[] = [];
const again: string[] = [];
const shapes = [...SHAPES, ...FIELD_SHAPES].filter(
  ({ name }, index) => name.includes(ONLY) && index % PARTS === PART - 1,
);
for (const shape of shapes) {
  let verdict = await judgeShape(shape).catch((error: unknown) => {
    throw new Error(shape.name, { cause: error });
  });
  for (let attempt = 2; attempt <= ATTEMPTS && verdict.grown.length > 0; attempt++) {
    again.push(`${shape.name}: ${verdict.grown.join('; ')}`);
    verdict = await judgeShape(shape);
  }
  const { nodes, times, grown } = verdict;
  const last = STEPS.map((step) => `${step} ${times[step].toFixed(0)}`).join(', ');
  const word = grown.length === 0 ? 'ok  ' : 'SLOW';
  process.stdout.write(`${[`${word} ${shape.name}, ${nodes} nodes: ${last} ms`, ...grown].join('; ')}\n`);
  if (grown.length > 0) failures.push(shape.name);
}
if (again.length > 0) process.stdout.write(`Measured again: ${again.join(' | ')}\n`);
const { user, system } = process.cpuUsage();
process.stdout.write(
  `${failures.length} of ${shapes.length} shapes grow faster than n log n; ${((user + system) / 1e6).toFixed(0)} s of CPU time\n`,
);
process.exitCode = failures.length === 0 ? 0 : 1;
