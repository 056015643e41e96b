import { setTimeout as sleep } from 'node:timers/promises';
import type { DeploymentAnswer } from '../../src/core/index.js';
import { textOption, type ArgsOf } from '../command.js';
import { isPassing } from '../api/index.js';
import { CliError, EXIT, type Outcome } from '../exit-code.js';
import { spanMs } from '../input/span.js';
import type { Io } from '../io.js';
import { plural } from '../output/plural.js';
import { numbered, short } from './plan-text.js';
import type { PolicyServer } from './policy-server.js';

const LOOK_EVERY_MS = 250;
const DEFAULT_WAIT = '60s';

/** The flag for the maximum waiting time of a command. */
export const WAIT_OPTION = {
  wait: textOption(`Maximum time to wait for the replicas, such as 90s or 2m; default: ${DEFAULT_WAIT}`),
} as const;

/** The waiting time in milliseconds; a plain number means seconds. @throws CliError (exit 2) */
export function waitMs({ wait = DEFAULT_WAIT }: ArgsOf<typeof WAIT_OPTION>): number {
  return /^\d+$/.test(wait) ? Number(wait) * 1_000 : spanMs(wait, '--wait');
}

/**
 * Waits until every live replica has answered, or until the timeout expires. The server has accepted the deployment, so a server that is
 * restarted meanwhile is asked again.
 *
 * @throws CliError that names the accepted deployment if its state is unknown at the end
 */
export async function settled(
  answer: DeploymentAnswer,
  server: PolicyServer,
  waitForMs: number,
  io: Io,
): Promise<DeploymentAnswer> {
  const untilMs = io.nowMs() + waitForMs;
  const { environment, number } = answer.deployment;
  let last = answer;
  let failure: CliError | undefined;
  while (isOpen(last) && io.nowMs() < untilMs) {
    await sleep(LOOK_EVERY_MS, undefined, { signal: io.signal });
    try {
      last = await server.deployment(number);
      failure = undefined;
    } catch (error) {
      if (io.signal.aborted || !(error instanceof CliError)) throw error;
      failure = error;
      if (!isPassing(error)) break;
    }
  }
  if (failure === undefined) return last;
  const words = `${environment} ${numbered(number)} was accepted, but the state of its replicas is unknown`;
  throw new CliError(EXIT.unavailable, `${words}: ${failure.message}; see weir show ${environment} ${number}`);
}

function isOpen(answer: DeploymentAnswer): boolean {
  const live = liveOf(answer);
  return live.length === 0 || live.some(({ state }) => state === 'pending');
}

/** The replicas that have reported recently. */
export function liveOf({ replicas }: Pick<DeploymentAnswer, 'replicas'>): DeploymentAnswer['replicas'] {
  return replicas.filter(({ state }) => state !== 'lost');
}

/** The outcome of a deployment: success only if there is a live replica, and the deployment is in force on all of them. */
export function settledOutcome(answer: DeploymentAnswer): Outcome {
  const { environment, number, digest } = answer.deployment;
  const live = liveOf(answer);
  const count = (wanted: string): number => live.filter(({ state }) => state === wanted).length;
  const what = `${environment} ${numbered(number)} ${digest === null ? 'policies folder' : short(digest)}`;
  if (live.length === 0) {
    return { exit: EXIT.pending, words: `${what} is in force on no replica: none has reported its policy` };
  }
  if (count('failed') > 0) {
    return {
      exit: EXIT.findings,
      words: `${what}: ${count('failed')} of ${live.length} replicas cannot activate it`,
    };
  }
  if (count('pending') > 0) {
    return {
      exit: EXIT.unavailable,
      words: `${what}: ${count('pending')} of ${live.length} replicas have not answered`,
    };
  }
  return { exit: EXIT.ok, words: `${what} is in force on ${live.length} of ${live.length} replicas` };
}

/** The state of each replica, one line each, and its problem. */
export function replicaLines({ replicas }: Pick<DeploymentAnswer, 'replicas'>): string[] {
  return replicas.flatMap(({ name, state, deployment, digest, problem, tests_passed: tests }) => [
    `  ${name}  ${state}  ${numbered(deployment)} ${short(digest)}${tests === 0 ? '' : `  ${plural(tests, 'test')} passed`}`,
    ...(problem === null ? [] : problem.split('\n').map((line) => `      ${line}`)),
  ]);
}
