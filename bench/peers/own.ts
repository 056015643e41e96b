import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestPostgres } from '../../test/support/postgres.js';
import { postmasterOf } from '../backend-time.js';
import { policiesWithBudget } from '../budget-policies.js';
import { postgresBinaries } from '../package-of-tests.js';
import { ProcessTree } from '../process-tree.js';
import { start } from '../processes.js';
import { root } from '../shipped-policy.js';
import { PROVIDER_KEY } from '../usual-calls.js';
import { startWeir, type DatabaseName } from '../weir-service.js';
import type { Unnamed } from './gateway.js';

/** The baseline, and Weir with everything on. */

/** Starts a proxy that only passes bytes on, with the same HTTP client as Weir. */
export async function passThrough(upstream: string): Promise<Unnamed> {
  const running = await start('dist/bench/programs/pass-through.js', { UPSTREAM: upstream }, '/healthz');
  return {
    does: 'passes bytes on',
    version: process.version,
    governs: false,
    endpoint: { url: `${running.url}/v1/chat/completions`, headers: {} },
    tree: new ProcessTree([running.pid]),
    stop: running.stop,
  };
}

/** @throws Error when it does not start */
export async function weir(upstream: string, database: DatabaseName): Promise<Unnamed> {
  const policies = policiesWithBudget();
  const server = database === 'embedded' ? undefined : await postgres();
  const stop = async (): Promise<void> => {
    await server?.stop();
    policies.remove();
  };
  try {
    const url = await server?.newDatabase();
    const service = await startWeir(
      {
        WEIR_OPENAI_BASE_URL: upstream,
        ...policies.env,
        // On a busy machine callers wait, as with gateways that never refuse calls.
        WEIR_OVERLOAD_WAIT: '1m',
        ...(url === undefined ? {} : { DATABASE_URL: url }),
      },
      undefined,
      false,
    );
    const key = await service.newKey('bench');
    const { version } = JSON.parse(readFileSync(join(root(), 'package.json'), 'utf8')) as { version: string };
    return {
      does: 'checks a key, counts rate limits, runs the shipped production rules (personal data, credentials, injections, tools), reserves a budget, and commits call and answer to its log before the caller has the answer',
      version,
      governs: true,
      endpoint: {
        url: `${service.url}/proxy/openai/v1/chat/completions`,
        headers: { 'x-service-key': key, authorization: `Bearer ${PROVIDER_KEY}` },
      },
      tree: new ProcessTree([service.pid, ...(url === undefined ? [] : [await postmasterOf(url)])]),
      stop: async () => {
        await service.stop();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function postgres(): Promise<TestPostgres> {
  const binaries = await postgresBinaries();
  if (binaries === undefined) throw new Error('there is no PostgreSQL on this machine');
  return TestPostgres.start(binaries);
}
