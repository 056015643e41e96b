import { PLUGINS } from '../plugins/index.js';
import {
  bindDetectors,
  bindStructures,
  GuardedStream,
  planAnswer,
  runScan,
  type CallContext,
  type CompiledPolicy,
  type DecodedCall,
} from '../src/core/index.js';
import { table } from './detectors/markdown.js';
import { prose } from './detectors/samples.js';
import { policyOf, shippedPolicy } from './shipped-policy.js';
import { writeSection } from './streams-page.js';

/**
 * How much of a streamed answer is held back while it is judged, and what that costs for each event: prose in pieces of
 * about a token, with personal data here and there, as content and as an argument of a tool call, on one core.
 *
 * `npm run bench -- held [--write]`: into `docs/streams.md`.
 */
const LENGTH = 20_000;
const TOKEN = /\s?\S{1,6}|\s/g;
const CONTEXT: CallContext = {
  environment: 'production',
  declaredEnvironment: 'production',
  app: { id: 'app', name: 'bench' },
  key: { id: 'key', name: 'bench' },
};
const REQUEST: DecodedCall = {
  dialect: 'openai.chat',
  segments: [],
  declaredTools: [],
  newToolCalls: [],
  pastToolCalls: [],
  pastToolResults: [],
  stream: true,
};
const MASKING = `apiVersion: weir/v1
kind: Policy
metadata: { id: masking, title: Masks answers, owner: bench@example.com }
environment: production
default: allow
detectors:
  pii: { plugin: pii@^1 }
  secrets: { plugin: secrets@^1 }
rules:
  - id: answers.mask
    stage: post
    severity: high
    when: { any: [ { pii.types: { any_of: [EMAIL, PHONE, CREDIT_CARD, IBAN] } }, { secrets.count: { gt: 0 } } ] }
    then: { action: redact, redact: { entities: [EMAIL, PHONE, CREDIT_CARD, IBAN, aws_access_key] } }
    on_unknown: match
`;

function guardOf(policy: CompiledPolicy): GuardedStream {
  const detectors = bindDetectors(policy, PLUGINS);
  return new GuardedStream({
    dialect: 'openai.chat',
    policy,
    plan: planAnswer(policy, detectors),
    detectors,
    facts: {
      context: CONTEXT,
      structures: bindStructures(policy, PLUGINS.structures),
      budgets: policy.budgets,
      request: REQUEST,
    },
    requestOutcomes: [],
    nowMs: 0,
    tokens: new Map(),
    scan: (segments) => runScan(detectors, segments, { nowMs: () => performance.now(), deadlineMs: 60_000 }),
  });
}

/** How many characters were held after each event, and what an event cost. */
async function measure(policy: CompiledPolicy, events: readonly string[]): Promise<string[]> {
  const guard = guardOf(policy);
  const held: number[] = [];
  let firstAfter = 0;
  const started = process.cpuUsage();
  for (const [position, event] of events.entries()) {
    const step = await guard.push(event);
    held.push(step.heldUnits);
    if (firstAfter === 0 && step.text !== '') firstAfter = position + 1;
  }
  await guard.end();
  const { user, system } = process.cpuUsage(started);
  const micros = (user + system) / events.length;
  held.sort((a, b) => a - b);
  const at = (share: number): string => String(held[Math.min(held.length - 1, Math.floor(held.length * share))]);
  return [at(0.5), at(0.99), at(1), String(firstAfter), micros.toFixed(0)];
}

const chunk = (delta: object): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta }] })}\n\n`;
const call = (more: object): string => chunk({ tool_calls: [{ index: 0, ...more }] });

const text = prose(7, 400)
  .map((sample) => sample.text)
  .join('\n')
  .slice(0, LENGTH);
const contents = (text.match(TOKEN) ?? []).map((content) => chunk({ content }));
const args = JSON.stringify({ path: 'notes/minutes.md', text });
const calls = [
  call({ id: 'call_1', type: 'function', function: { name: 'write_file', arguments: '' } }),
  ...(args.match(TOKEN) ?? []).map((piece) => call({ function: { arguments: piece } })),
];
await measure(policyOf(MASKING), contents.slice(0, 500));
await measure(policyOf(MASKING), calls.slice(0, 500));
const policies: readonly (readonly [string, CompiledPolicy])[] = [
  ['shipped production rules', shippedPolicy()],
  ['rules that mask personal data in answers', policyOf(MASKING)],
];
const rows: string[][] = [];
for (const [name, policy] of policies) {
  rows.push([`content, ${name}`, ...(await measure(policy, contents))]);
  rows.push([`arguments of a tool call, ${name}`, ...(await measure(policy, calls))]);
}
writeSection('held', [
  `${contents.length} events of a content and ${calls.length} of a tool call, ${text.length} characters of prose each: characters that are`,
  'held back after an event, the event after which the first byte leaves, and the processor time of an event.',
  '',
  table(['', 'median', 'p99', 'max', 'first', 'CPU µs'], rows),
]);
