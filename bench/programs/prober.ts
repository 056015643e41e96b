import { parentPort, workerData } from 'node:worker_threads';
import { Agent, request } from 'undici';
import type { ProberData, Probe, ProbeResult } from '../probes.js';

/**
 * Sends requests at a fixed rate without waiting for earlier answers, in a separate thread, so that generating the load does not
 * distort the measured times.
 */
const { probes, seconds } = workerData as ProberData;
/** So many that calls wait in the measured service and not in this program: otherwise no service would ever be overloaded. */
const CONNECTIONS = 8_192;
const agent = new Agent({ connections: CONNECTIONS, headersTimeout: 60_000, bodyTimeout: 60_000 });
const FRESH = /\{fresh\}/g;
let asked = 0;

async function ask(probe: Probe, into: number[]): Promise<string | undefined> {
  const startedMs = performance.now();
  try {
    const { statusCode, body } = await request(probe.url, {
      dispatcher: agent,
      method: probe.body === undefined ? 'GET' : 'POST',
      headers: probe.headers,
      ...(probe.body === undefined ? {} : { body: probe.body.replace(FRESH, () => `${Date.now()}-${asked++}`) }),
    });
    await body.dump({ limit: 10_000_000 });
    into.push(performance.now() - startedMs);
    return statusCode === 200 ? undefined : String(statusCode);
  } catch (error) {
    return error instanceof Error ? error.name : 'unknown';
  }
}

async function run(probe: Probe): Promise<ProbeResult> {
  const timesMs: number[] = [];
  const wrong: Record<string, number> = {};
  const pending: Promise<void>[] = [];
  const beganMs = performance.now();
  for (let count = 0; performance.now() - beganMs < seconds * 1_000; count++) {
    const dueMs = beganMs + count * probe.everyMs - performance.now();
    if (dueMs > 0) await new Promise((resolve) => setTimeout(resolve, dueMs));
    pending.push(
      ask(probe, timesMs).then((problem) => {
        if (problem !== undefined) wrong[problem] = (wrong[problem] ?? 0) + 1;
      }),
    );
  }
  await Promise.all(pending);
  return { name: probe.name, timesMs, wrong };
}

const results = await Promise.all(probes.map(run));
await agent.close();
parentPort?.postMessage(results);
