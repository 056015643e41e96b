import { setTimeout as sleep } from 'node:timers/promises';
import type { ActivePolicyBody, Environment } from '../../src/core/index.js';
import { CliError, EXIT } from '../exit-code.js';
import type { Io } from '../io.js';
import { numbered } from './plan-text.js';
import type { Base, PolicyServer } from './policy-server.js';

/**
 * The time for which the command asks, after an interruption, whether the server accepted the change: the server continues to process a
 * request that it has received.
 */
const ASKED_FOR_MS = 5_000;
const ASK_EVERY_MS = 500;

/** A change of the active policy that is sent to a server, and a check whether this change took effect. */
export interface Sent {
  readonly environment: Environment;
  readonly base: Pick<Base, 'number'>;
  readonly isInForce: (active: ActivePolicyBody) => boolean;
}

/** Sends a change; after an interruption (Ctrl-C, `--timeout`), asks the server whether it accepted the change, and reports that. */
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

/** Runs work that precedes sending: if this work is interrupted, the error says that nothing was deployed. */
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
        return `the server accepted the deployment: ${environment} ${numbered(now)} is in force`;
      if (now > base.number) return `the server accepted another deployment, ${numbered(now)}: ${look}`;
      await sleep(ASK_EVERY_MS, undefined, { signal: last });
    }
  } catch {
    if (last.aborted)
      return `the server has not accepted the deployment within ${ASKED_FOR_MS / 1_000} s, but still may: ${look}`;
    return `it is unknown whether the server accepted the deployment: ${look}`;
  }
}
