import { decode, encode } from 'gpt-tokenizer/encoding/o200k_base';
import { PLUGINS } from '../plugins/index.js';
import {
  bindDetectors,
  bindStructures,
  SILENT_LEDGER,
  GuardedStream,
  planAnswer,
  runScan,
  type CompiledPolicy,
  type DecodedCall,
} from '../src/core/index.js';
import { table } from './detectors/markdown.js';
import { prose } from './detectors/samples.js';
import { seededRandom } from '../test/support/seeded-random.js';
import { CONTEXT, policyOf, shippedPolicy } from './shipped-policy.js';
import { writeSection } from './streams-page.js';

/**
 * Measures how many characters of a streamed answer are held back while it is judged, and the CPU time per event:
 * prose in pieces of about a token, with some personal data, as content and as an argument of a tool call, on one core.
 *
 * `npm run bench -- held [--write]`: into `docs/streams.md`.
 */
const LENGTH = 20_000;
const TOKEN = /\s?\S{1,6}|\s/g;
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
      structures: bindStructures(policy, PLUGINS),
      ledger: SILENT_LEDGER,
      request: REQUEST,
    },
    requestOutcomes: [],
    nowMs: 0,
    tokens: new Map(),
    scan: (segments) => runScan(detectors, segments, { nowMs: () => performance.now(), deadlineMs: 60_000 }),
  });
}

/** Measures the number of characters held back after each event, and the CPU time per event. */
async function measure(policy: CompiledPolicy, events: readonly string[]): Promise<string[]> {
  const guard = guardOf(policy);
  const held: number[] = [];
  let late = 0;
  let firstAfter = 0;
  const started = process.cpuUsage();
  for (const [position, event] of events.entries()) {
    const step = await guard.push(event);
    held.push(step.heldUnits);
    if (step.heldUnits > 0) late++;
    if (firstAfter === 0 && step.text !== '') firstAfter = position + 1;
  }
  await guard.end();
  const { user, system } = process.cpuUsage(started);
  const micros = (user + system) / events.length;
  held.sort((a, b) => a - b);
  const at = (share: number): string => String(held[Math.min(held.length - 1, Math.floor(held.length * share))]);
  const atOnce = `${((1 - late / events.length) * 100).toFixed(1)} %`;
  return [atOnce, at(0.5), at(0.99), at(1), String(firstAfter), micros.toFixed(0)];
}

const chunk = (delta: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta }], ...more })}\n\n`;
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
/** Typical answers of models; they are cut into tokens, most of which begin with a space. */
const ANSWERS: Readonly<Record<string, string>> = {
  prose: `I looked at the plan again this morning, and most of it still holds. The team wants to move the first release to
the second week of October because two of the reviews will not be finished before that. Nobody objected when we talked about
it, but Maria pointed out that the translation work has to start earlier if we want to ship in every country at the same time.
My suggestion is to keep the date for the public beta and to tell customers about the change in the next letter. You could also
ask the support people whether they expect more questions than usual; last year they were surprised by how many there were.
If that sounds right to you, I can write a short summary and send it around before the meeting on Thursday afternoon. `,
  code: `Here is a function that does it:\n\n\`\`\`ts\nexport function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string) {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = keyOf(item);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return groups;
}\n\`\`\`\n\nIt keeps the order of the items, and it visits each of them once. `,
  JSON: JSON.stringify(
    {
      title: 'Weekly report',
      author: { name: 'Maria', role: 'editor' },
      sections: [
        { heading: 'Progress', done: true, items: ['Reviews finished', 'Texts translated'] },
        { heading: 'Open questions', done: false, items: ['Who writes the letter?', 'When does the beta end?'] },
      ],
      attendees: 14,
    },
    undefined,
    2,
  ),
};
/** Padding that hides the lengths of tokens, as OpenAI adds it to every event by default. */
const PADDING_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const random = seededRandom(7);
const paddingFor = (content: string): string =>
  Array.from({ length: Math.max(1, 14 - content.length) }, () =>
    PADDING_LETTERS.charAt(Math.floor(random() * PADDING_LETTERS.length)),
  ).join('');
const tokensOf = (answer: string, isPadded = false): string[] =>
  encode(answer.repeat(5))
    .map((token) => decode([token]))
    .map((content) => chunk({ content }, isPadded ? { obfuscation: paddingFor(content) } : {}));

const policies: readonly (readonly [string, CompiledPolicy])[] = [
  ['shipped production rules', shippedPolicy()],
  ['rules that mask personal data in answers', policyOf(MASKING)],
];
const rows: string[][] = [];
for (const [name, policy] of policies) {
  rows.push([`content, ${name}`, ...(await measure(policy, contents))]);
  rows.push([`arguments of a tool call, ${name}`, ...(await measure(policy, calls))]);
}
for (const [name, answer] of Object.entries(ANSWERS)) {
  rows.push([`${name} in tokens, shipped production rules`, ...(await measure(shippedPolicy(), tokensOf(answer)))]);
}
const padded = await measure(shippedPolicy(), tokensOf(ANSWERS['prose']!, true));
rows.push(["prose in tokens with OpenAI's padding, shipped production rules", ...padded]);
writeSection('held', [
  `The rows \`content\` and \`arguments of a tool call\` are streams of ${text.length} characters of prose, cut into ${contents.length}`,
  `and ${calls.length} events of a few characters each. The other rows are answers cut into the tokens of \`o200k_base\`.`,
  '',
  'The columns show the share of events that are forwarded immediately; the median, the 99th percentile and the maximum of the characters',
  'that are held back after an event; the number of the event after which the first byte is forwarded; and the CPU time of an',
  'event.',
  '',
  table(['', 'immediately', 'median', 'p99', 'max', 'first', 'CPU µs'], rows),
]);
