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
import { prose } from './detectors/samples.js';
import { policyOf, shippedPolicy } from './shipped-policy.js';

/**
 * How much of a streamed answer is held back while it is judged, and what that costs for each event: prose in pieces of
 * about a token, with personal data here and there, on one core.
 *
 * `npm run bench -- held`
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

async function measure(name: string, policy: CompiledPolicy, events: readonly string[]): Promise<string> {
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
  const at = (share: number): string =>
    String(held[Math.min(held.length - 1, Math.floor(held.length * share))]).padStart(6);
  return `${name.padEnd(34)}${at(0.5)}${at(0.99)}${at(1)}${String(firstAfter).padStart(8)}${micros.toFixed(0).padStart(10)}`;
}

const text = prose(7, 400)
  .map((sample) => sample.text)
  .join('\n')
  .slice(0, LENGTH);
const events = (text.match(TOKEN) ?? []).map(
  (content) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content } }] })}\n\n`,
);
await measure('warm up', policyOf(MASKING), events.slice(0, 500));
const lines = [
  `${events.length} events, ${text.length} characters. Held characters of text; first output after the n-th event.`,
  `${'policy'.padEnd(34)}${'median'.padStart(6)}${'p99'.padStart(6)}${'max'.padStart(6)}${'first'.padStart(8)}${'CPU us'.padStart(10)}`,
  await measure('shipped production policy', shippedPolicy(), events),
  await measure('masks personal data in answers', policyOf(MASKING), events),
];
process.stdout.write(`${lines.join('\n')}\n`);
