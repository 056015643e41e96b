import { z } from 'zod';
import { DEPLOYMENT, REPLICA, type ActivePolicyBody, type DeploymentAnswer } from '../../src/core/index.js';
import type { CommandArgs } from '../command.js';
import { CliError, EXIT, usageError, type Outcome } from '../exit-code.js';
import { write, type Io } from '../io.js';
import { colours } from '../output/colour.js';
import { askForWord, canAsk } from './ask.js';
import type { DEPLOY_OPTIONS } from './flags.js';
import { numbered } from './plan-text.js';
import { isSettled, obstacle, type Plan } from './plan.js';
import { beforeSending, reportingInterrupts } from './interrupted.js';
import type { PolicyServer } from './policy-server.js';
import { replicaLines, settled, settledOutcome, waitMs } from './settle.js';

/** The JSON output of a deployment. */
export const DEPLOYED = z.strictObject({
  schemaVersion: z.literal(1),
  deployed: z.boolean().describe('False when there was nothing to deploy.'),
  deployment: DEPLOYMENT.nullable(),
  replicas: z.array(REPLICA),
});

/** The advice for deploying without a terminal. */
const REVIEW_FIRST = 'write a plan with weir plan -o plan.json, then run weir deploy --plan plan.json --yes';

export type DeployFlags = CommandArgs<typeof DEPLOY_OPTIONS>;

/** Deploys exactly the given plan: asks for confirmation first, unless `--yes` is given, and then waits for the replicas. */
export async function carryOut(
  plan: Plan,
  server: PolicyServer,
  flags: DeployFlags,
  isReviewed: boolean,
  io: Io,
): Promise<Outcome> {
  const { environment, bundle, base, action, untested, emergency } = plan;
  const waitForMs = waitMs(flags);
  const inForce = isReviewed ? (await beforeSending(io, () => server.active())).base : base;
  if (isSettled({ ...plan, base: inForce }) && inForce.number > 0) {
    const last = await beforeSending(io, async () =>
      settled(await server.deployment(inForce.number), server, waitForMs, io),
    );
    return deployedBefore(last, flags, io);
  }
  const problem = obstacle(plan);
  if (problem !== undefined) throw new CliError(problem.exit, `${problem.words}; nothing was deployed`);
  if (emergency !== null && !flags.discardEmergency) {
    const words = `#${emergency.number} was changed on the server, and the sources lack that change; nothing was deployed`;
    throw new CliError(EXIT.pending, `${words}: see weir pull ${environment} --as-patch, or use --discard-emergency`);
  }
  if (!flags.yes) {
    if (!canAsk(io)) throw usageError(`a confirmation needs a terminal: ${REVIEW_FIRST}`);
    await beforeSending(io, () => askForWord(`Deploy to ${environment}?`, environment, io));
  } else if (!isReviewed && !canAsk(io)) {
    throw usageError(`without a terminal a deployment needs a reviewed plan: ${REVIEW_FIRST}`);
  }
  const because = flags.because === undefined ? {} : { because: flags.because };
  const sent = { environment, base, isInForce: (now: ActivePolicyBody) => now.base.digest === plan.digest };
  const last = await reportingInterrupts(sent, server, io, async () => {
    const answer = await server.deploy({ bundle, base, action, untested, ...because });
    return settled(answer, server, waitForMs, io);
  });
  if (flags.json) await print({ schemaVersion: 1, deployed: true, ...last }, io);
  else {
    const paint = colours(io.stdout, io.env, flags.color);
    const back = base.number === 0 ? '0' : String(base.number);
    const lines = [
      `${paint.bold('Deployed')}  ${environment} ${numbered(last.deployment.number)}`,
      ...replicaLines(last),
      `to roll back: weir rollback ${environment} --to ${back} --because "..."`,
    ];
    await write(io.stdout, `${lines.join('\n')}\n`);
  }
  return settledOutcome(last);
}

/** The outcome if the policy was deployed before: a replica may have failed to activate it, and a repeated run reports that again. */
async function deployedBefore(last: DeploymentAnswer, { json }: DeployFlags, io: Io): Promise<Outcome> {
  const { environment, number } = last.deployment;
  const { exit, words } = settledOutcome(last);
  if (json) await print({ schemaVersion: 1, deployed: false, deployment: null, replicas: last.replicas }, io);
  const nothing = 'nothing was deployed';
  if (exit === EXIT.ok)
    return { exit, words: `${environment} ${numbered(number)}: this policy is already in force; ${nothing}` };
  if (!json)
    await write(
      io.stdout,
      replicaLines(last)
        .map((line) => `${line}\n`)
        .join(''),
    );
  return { exit, words: `${words}; ${nothing}` };
}

async function print(value: z.infer<typeof DEPLOYED>, io: Io): Promise<void> {
  await write(io.stdout, `${JSON.stringify(value, null, 2)}\n`);
}
