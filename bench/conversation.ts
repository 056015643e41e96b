import { decodeRequest, parseJson } from '../src/core/index.js';
import { JudgementService } from '../src/judgement/index.js';
import { ScanCache } from '../src/judgement/scan-cache.js';
import { CONTEXT, inForce, shippedPolicy } from './shipped-policy.js';
import { numberOption } from './options.js';

/**
 * Measures the cost of judging each turn of a growing conversation, with and without the cache of scan results:
 * reading the body, scanning and deciding, with the shipped production policy, on one core. Both variants alternate.
 *
 * `npm run bench -- conversation [--turns 50] [--rounds 5]`
 */
const TURNS = numberOption('turns', 50);
const ROUNDS = numberOption('rounds', 5);
const CACHE_BYTES = 32 * 1024 * 1024;

const policy = shippedPolicy();
// Long deadlines, since a detector that timed out would do less work and make the result look faster.
const active = inForce({ ...policy, deadlineMs: { pre: 60_000, post: 60_000, tool: 60_000 } });
const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
const question =
  'What did the team decide about the release plan, and who is to send the numbers to the board by Thursday? ';
const reply =
  'The team moved the review to Thursday, asked for the figures of the last quarter, and left two questions open. ';

/** Request bodies of all turns; each contains all earlier messages, as clients send them. */
function bodies(round: number): string[] {
  const messages: object[] = [{ role: 'system', content: 'You are a careful assistant. '.repeat(20) }];
  return Array.from({ length: TURNS }, (_, turn) => {
    messages.push({ role: 'user', content: `${round}.${turn} ${question.repeat(4)}` });
    const body = JSON.stringify({ model: 'gpt-4o', messages });
    messages.push({ role: 'assistant', content: `${round}.${turn} ${reply.repeat(8)}` });
    return body;
  });
}

/** Judges all turns of a conversation; returns the milliseconds of each turn. */
async function run(service: JudgementService, round: number): Promise<number[]> {
  const times: number[] = [];
  for (const body of bodies(round)) {
    const startedMs = performance.now();
    const call = decodeRequest('openai.chat', parseJson(body));
    const input = { policy: active, accountId: 'account', context: CONTEXT, call, kind: 'request' } as const;
    const judgement = await service.judge({ ...input, enforceable: true, monitorRequested: false });
    times.push(performance.now() - startedMs);
    if (judgement.action === 'block') throw new Error('the conversation is refused: nothing was measured');
  }
  return times;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

const off: number[][] = [];
const on: number[][] = [];
await run(new JudgementService(clock), -1);
for (let round = 0; round < ROUNDS; round++) {
  off.push(await run(new JudgementService(clock), round));
  on.push(await run(new JudgementService(clock, undefined, undefined, new ScanCache(CACHE_BYTES)), round));
}
const last = (runs: readonly number[][]): number => median(runs.map((times) => times.at(-1) ?? 0));
const total = (runs: readonly number[][]): number => median(runs.map(sum));
process.stdout.write(
  `| ${TURNS} turns, median of ${ROUNDS} | without | with | ratio |\n|---|---|---|---|\n` +
    `| whole conversation, ms | ${total(off).toFixed(1)} | ${total(on).toFixed(1)} | ${(total(off) / total(on)).toFixed(1)} |\n` +
    `| last turn, ms | ${last(off).toFixed(2)} | ${last(on).toFixed(2)} | ${(last(off) / last(on)).toFixed(1)} |\n`,
);
