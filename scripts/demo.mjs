/**
 * `npm run demo`: the service with a local simulated provider and realistic traffic, no account anywhere.
 * Stays up afterwards so that you can look around; `-- --once` ends when the traffic is through, `-- --calls 60` sets how much.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { LLMock } from '@copilotkit/aimock';
import { SingleBar } from 'cli-progress';
import OpenAI from 'openai';
import { ensureBuilt } from './build-if-changed.mjs';
import { callNumber } from './demo-traffic.mjs';

const once = process.argv.includes('--once');
const callsAt = process.argv.indexOf('--calls');
const calls = callsAt === -1 ? 120 : Number(process.argv[callsAt + 1]);
const port = process.env.PORT ?? '8080';
const say = (text) => process.stderr.write(`${text}\n`);

await ensureBuilt();
const provider = new LLMock({ port: 0, host: '127.0.0.1' });
provider.onMessage(/temporary files/i, {
  toolCalls: [{ name: 'run_shell', arguments: JSON.stringify({ command: 'rm -rf /tmp/build' }) }],
});
provider.onMessage(/.*/s, { content: 'Here is a short answer from the simulated provider.' });
await provider.start();

const dataDir = mkdtempSync(join(tmpdir(), 'weir-demo-'));
const server = spawn(process.execPath, ['dist/src/main.js'], {
  env: {
    ...process.env,
    PORT: port,
    WEIR_DATA_DIR: dataDir,
    WEIR_OPENAI_BASE_URL: provider.url,
    WEIR_ANTHROPIC_BASE_URL: provider.url,
    WEIR_RATE_EVENTS: 'off',
    WEIR_RATE_PROXY: 'off',
    WEIR_RATE_ADDRESS: 'off',
    WEIR_LOG_LEVEL: 'warn',
  },
  stdio: ['ignore', 'inherit', 'inherit'],
});
let stopping = false;
const stop = async () => {
  if (stopping) return;
  stopping = true;
  server.kill('SIGTERM');
  await new Promise((resolve) => (server.exitCode === null ? server.once('exit', resolve) : resolve()));
  await provider.stop();
  rmSync(dataDir, { recursive: true, force: true });
};
process.once('SIGINT', () => void stop());
process.once('SIGTERM', () => void stop());
server.once('exit', (code) => {
  if (!stopping && code !== 0) {
    say(`The service ended with code ${code}; see above.`);
    process.exitCode = 1;
    void stop();
  }
});

const base = `http://127.0.0.1:${port}`;
await untilReady();
const bootstrap = JSON.parse(readFileSync(join(dataDir, 'bootstrap.json'), 'utf8'));
const outcomes = await runTraffic();
await report(outcomes);
if (once) await stop();
else say(`\nThe demo is running at ${base}; press Ctrl-C to end it.`);

async function untilReady() {
  const deadlineMs = Date.now() + 30_000;
  while (Date.now() < deadlineMs && server.exitCode === null) {
    if (
      await fetch(`${base}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      )
    )
      return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await stop();
  throw new Error('The service did not become ready.');
}

async function runTraffic() {
  const bar = new SingleBar({
    format: 'traffic {bar} {value}/{total} calls',
    stream: process.stderr,
    noTTYOutput: !process.stderr.isTTY,
    notTTYSchedule: 2_000,
  });
  bar.start(calls, 0);
  const counted = new Map();
  for (let index = 0; index < calls; index++) {
    const call = callNumber(index);
    const outcome = await send(call, bootstrap.keys[call.environment], index);
    const label = `${call.via} · ${outcome}`;
    counted.set(label, (counted.get(label) ?? 0) + 1);
    bar.increment();
  }
  bar.stop();
  return counted;
}

async function send(call, key, index) {
  const headers = { 'x-service-key': key, 'x-service-metadata': JSON.stringify(call.metadata) };
  const messages = [{ role: 'user', content: call.text }];
  const openai = new OpenAI({ apiKey: 'demo', baseURL: `${base}/proxy/openai/v1`, defaultHeaders: headers });
  const anthropic = new Anthropic({ apiKey: 'demo', baseURL: `${base}/proxy/anthropic`, defaultHeaders: headers });
  try {
    switch (call.via) {
      case 'openai':
        await openai.chat.completions.create({ model: 'gpt-4o', messages });
        return 'answered';
      case 'openai-stream':
        for await (const _ of await openai.chat.completions.create({ model: 'gpt-4o', messages, stream: true }));
        return 'answered';
      case 'openai-tools':
        await openai.chat.completions.create({
          model: 'gpt-4o',
          messages,
          tools: [{ type: 'function', function: { name: 'run_shell', parameters: { type: 'object' } } }],
        });
        return 'answered';
      case 'anthropic':
        await anthropic.messages.create({ model: 'claude-sonnet-5-5', max_tokens: 200, messages });
        return 'answered';
      case 'anthropic-stream':
        await anthropic.messages.stream({ model: 'claude-sonnet-5-5', max_tokens: 200, messages }).finalMessage();
        return 'answered';
      case 'rest':
        return await post(key, {
          type: 'ai.request',
          request_id: `demo-${index}`,
          environment: call.environment,
          provider: 'openai',
          model: 'gpt-4o',
          metadata: call.metadata,
          payload: { messages },
        });
      default:
        return await post(key, {
          type: 'agent.tool_call',
          environment: call.environment,
          metadata: call.metadata,
          payload: { tool: call.tool, arguments: call.arguments },
        });
    }
  } catch (error) {
    if (error?.status === 400) return 'blocked';
    throw error;
  }
}

async function post(key, body) {
  const answer = await fetch(`${base}/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const json = await answer.json();
  if (answer.status === 400) return 'blocked';
  if (answer.status !== 200) throw new Error(`POST /v1/events answered ${answer.status}: ${json.error?.message}`);
  return json.decision ?? 'recorded';
}

async function report(counted) {
  say('');
  for (const [label, count] of [...counted].sort()) say(`${String(count).padStart(5)}  ${label}`);
  const answer = await fetch(`${base}/v1/events?limit=200&type=policy.violation`, {
    headers: { authorization: `Bearer ${bootstrap.token}` },
  });
  const { data } = await answer.json();
  const rules = new Map();
  for (const event of data)
    for (const { rule, enforced } of event.violations ?? []) {
      const label = `${rule}${enforced ? '' : ' (monitored)'}`;
      rules.set(label, (rules.get(label) ?? 0) + 1);
    }
  say('\nRules that fired, from GET /v1/events?type=policy.violation:');
  for (const [rule, count] of [...rules].sort((left, right) => right[1] - left[1]))
    say(`${String(count).padStart(5)}  ${rule}`);
}
