import { setTimeout as sleep } from 'node:timers/promises';
import type { ActivePolicyBody, Environment } from '../../src/core/index.js';
import { CliError, EXIT } from '../exit-code.js';
import type { Io } from '../io.js';
import { numbered } from './plan-text.js';
import type { Base, PolicyServer } from './policy-server.js';

/** The server continues with the received request: for this time the command asks whether it accepted the change. */
const ASKED_FOR_MS = 5_000;
const ASK_EVERY_MS = 500;

/** What is sent to a server to put another policy in force, and how to tell afterwards that this is what did it. */
export interface Sent {
  readonly environment: Environment;
  readonly base: Pick<Base, 'number'>;
  readonly isInForce: (active: ActivePolicyBody) => boolean;
}

/** Does what sends it; when it is interrupted (Ctrl-C, `--timeout`) the server says whether it took it. */
export async function reportingInterrupts<T>(
  sent: Sent,
  server: PolicyServer,
  io: Pick<Io, 'signal'>,
  send: () => Promise<T>,
): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!io.signal.aborted) throw error;
    throw new CliError(EXIT.interrupted, `interrupted; ${await whatBecameOf(sent, server)}`);
  }
}

/** Does what comes before anything is sent: interrupted there, it is known that nothing was deployed. */
export async function beforeSending<T>(io: Pick<Io, 'signal'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!io.signal.aborted) throw error;
    throw new CliError(EXIT.interrupted, 'interrupted before anything was sent; nothing was deployed');
  }
}

async function whatBecameOf({ environment, base, isInForce }: Sent, server: PolicyServer): Promise<string> {
  const look = `see weir history ${environment}`;
  const last = AbortSignal.timeout(ASKED_FOR_MS);
  try {
    const asked = await server.under(last);
    for (;;) {
      const active = await asked.active();
      const now = active.base.number;
      if (now > base.number && isInForce(active))
        return `the server accepted it: ${environment} ${numbered(now)} is in force`;
      if (now > base.number) return `the server accepted another deployment, ${numbered(now)}: ${look}`;
      await sleep(ASK_EVERY_MS, undefined, { signal: last });
    }
  } catch {
    if (last.aborted) return `the server has not accepted it within ${ASKED_FOR_MS / 1_000} s, and may still: ${look}`;
    return `the server does not say whether it accepted it: ${look}`;
  }
}
