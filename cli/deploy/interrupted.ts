import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, EXIT } from '../exit-code.js';
import type { Io } from '../io.js';
import { numbered } from './plan-text.js';
import type { Plan } from './plan.js';
import type { PolicyServer } from './policy-server.js';

/** The server goes on with what it has received: it is asked for so long whether it took it. */
const ASKED_FOR_MS = 5_000;
const ASK_EVERY_MS = 500;

/** Does what sends a plan to the server; when it is interrupted (Ctrl-C, `--timeout`) the server says whether it took it. */
export async function reportingInterrupts<T>(
  plan: Pick<Plan, 'environment' | 'digest' | 'base'>,
  server: PolicyServer,
  io: Pick<Io, 'signal'>,
  send: () => Promise<T>,
): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!io.signal.aborted) throw error;
    throw new CliError(EXIT.interrupted, `interrupted; ${await whatBecameOf(plan, server)}`);
  }
}

/** Does what comes before a plan is sent: interrupted there, it is known that nothing was deployed. */
export async function beforeSending<T>(io: Pick<Io, 'signal'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!io.signal.aborted) throw error;
    throw new CliError(EXIT.interrupted, 'interrupted before anything was sent; nothing was deployed');
  }
}

async function whatBecameOf(
  { environment, digest, base }: Pick<Plan, 'environment' | 'digest' | 'base'>,
  server: PolicyServer,
): Promise<string> {
  const look = `see weir history ${environment}`;
  const last = AbortSignal.timeout(ASKED_FOR_MS);
  try {
    const asked = await server.under(last);
    for (;;) {
      const { base: now } = await asked.active();
      if (now.number > base.number && now.digest === digest)
        return `the server accepted it: ${environment} ${numbered(now.number)} is in force`;
      if (now.number > base.number) return `the server accepted another deployment, ${numbered(now.number)}: ${look}`;
      await sleep(ASK_EVERY_MS, undefined, { signal: last });
    }
  } catch {
    if (last.aborted) return `the server has not accepted it within ${ASKED_FOR_MS / 1_000} s, and may still: ${look}`;
    return `the server does not say whether it accepted it: ${look}`;
  }
}
