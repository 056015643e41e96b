/** Parts of the demo: a local simulated provider and the service in front of it, with its own database. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePackages, requireOfTests } from './packages-apart.mjs';

await ensurePackages('test');
const { LLMock } = requireOfTests('@copilotkit/aimock');

/** Starts a provider that calls a shell tool for messages about temporary files, and gives one short answer to all others. */
async function startProvider() {
  const provider = new LLMock({ port: 0, host: '127.0.0.1' });
  provider.onMessage(/temporary files/i, {
    toolCalls: [{ name: 'run_shell', arguments: JSON.stringify({ command: 'rm -rf /tmp/build' }) }],
  });
  provider.onMessage(/.*/s, { content: 'Here is a short answer from the simulated provider.' });
  await provider.start();
  return provider;
}

/**
 * Starts the provider and the service. `nodeOptions` are options of Node, `env` adds settings of the service. `isClockMoved` means that
 * the service's clock is in the past, which its readiness check reports as a fault: the start then waits until that is the only fault.
 * @returns the address, the credentials of the first start (keys, token, password), the process, and a function that ends both
 */
export async function startDemo({
  port,
  nodeOptions = [],
  isClockMoved = false,
  env = {},
  stdio = ['ignore', 'inherit', 'inherit'],
}) {
  const provider = await startProvider();
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-demo-'));
  const server = spawn(process.execPath, [...nodeOptions, 'dist/server/main.js'], {
    env: {
      ...process.env,
      PORT: port,
      WEIR_DATA_DIR: dataDir,
      WEIR_OPENAI_BASE_URL: provider.url,
      WEIR_ANTHROPIC_BASE_URL: provider.url,
      WEIR_GEMINI_BASE_URL: provider.url,
      WEIR_RATE_EVENTS: 'off',
      WEIR_RATE_PROXY: 'off',
      WEIR_RATE_BATCH: 'off',
      WEIR_RATE_CALLS: 'off',
      WEIR_RATE_ADDRESS: 'off',
      WEIR_LOG_LEVEL: 'warn',
      ...env,
    },
    stdio,
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
      process.stderr.write(`The service ended with code ${code}; see above.\n`);
      process.exitCode = 1;
      void stop();
    }
  });
  const base = `http://127.0.0.1:${port}`;
  if (!(await isReady(base, server, isClockMoved))) {
    await stop();
    throw new Error('The service did not become ready.');
  }
  return { base, bootstrap: JSON.parse(readFileSync(join(dataDir, 'bootstrap.json'), 'utf8')), server, stop };
}

async function isReady(base, server, isClockMoved) {
  const deadlineMs = Date.now() + 120_000;
  while (Date.now() < deadlineMs && server.exitCode === null) {
    const isUp = await fetch(`${base}/readyz`).then(
      async (answer) => answer.ok || (isClockMoved && (await onlyClockIsWrong(answer))),
      () => false,
    );
    if (isUp) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

async function onlyClockIsWrong(answer) {
  const { details = [] } = (await answer.json()).error;
  return details.length > 0 && details.every(({ path }) => path === 'clock');
}
