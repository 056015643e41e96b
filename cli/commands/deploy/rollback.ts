import { z } from 'zod';
import { POLICY_CHANGE, policyChanges } from '../../../src/authoring/index.js';
import {
  DEPLOYMENT,
  REPLICA,
  type ActivePolicyBody,
  type DeploymentBody,
  type Environment,
} from '../../../src/core/index.js';
import { SERVER_OPTIONS } from '../../api/index.js';
import { yieldPoint } from '../../yield-point.js';
import { defineCommand, type CommandArgs, type CommandContext } from '../../command.js';
import { askForWord, canAsk, CONFIRM_OPTION } from '../../deploy/ask.js';
import { compileBundle } from '../../deploy/built-bundle.js';
import { ENVIRONMENT_ARGUMENT, ENVIRONMENT_FLAG } from '../../deploy/flags.js';
import { beforeSending, reportingInterrupts } from '../../deploy/interrupted.js';
import { changesText, effectText, numbered, short } from '../../deploy/plan-text.js';
import { EFFECT, effectOf } from '../../deploy/plan.js';
import { PolicyServer } from '../../deploy/policy-server.js';
import { projectServers } from '../../deploy/project-config.js';
import { replicaLines, settled, settledOutcome, WAIT_OPTION, waitMs } from '../../deploy/settle.js';
import { CliError, EXIT, usageError } from '../../exit-code.js';
import { POLICIES_OPTION } from '../../input/compiled-project.js';
import { write } from '../../io.js';
import { colours } from '../../output/colour.js';
import { neededEnvironment } from '../../vocabulary.js';

const HISTORY_LIMIT = 200;

const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  deployment: DEPLOYMENT,
  replicas: z.array(REPLICA),
  changes: z
    .array(POLICY_CHANGE)
    .nullable()
    .describe('Null if one of the two policies does not compile with the plugins installed for this command.'),
  effect: EFFECT.nullable(),
});

const OPTIONS = {
  ...SERVER_OPTIONS,
  ...POLICIES_OPTION,
  ...ENVIRONMENT_FLAG,
  to: {
    type: 'number',
    requiresArg: true,
    describe: 'Deployment number, 0 for the policies folder; default: the latest one with a different policy',
  },
  because: {
    type: 'string',
    requiresArg: true,
    demandOption: true,
    describe: 'Reason; kept in the history',
  },
  ...CONFIRM_OPTION,
  ...WAIT_OPTION,
} as const;

type RollbackArgs = CommandArgs<typeof OPTIONS, typeof ENVIRONMENT_ARGUMENT>;

/** `weir rollback <environment> --because`: reactivates an earlier deployment. It needs only the server, no git and no files. */
export const rollback = defineCommand({
  usage: 'rollback [environment]',
  summary: 'Reactivate an earlier deployment; needs only the server',
  positionals: ENVIRONMENT_ARGUMENT,
  options: OPTIONS,
  output: OUTPUT,

  async run(args, context) {
    const { io } = context;
    const environment = neededEnvironment(args);
    const waitForMs = waitMs(args);
    if (args.because.trim() === '') throw usageError('--because is required: the reason is kept in the history');
    if (!args.yes && !canAsk(io)) throw usageError('a confirmation needs a terminal: add --yes');
    const server = await PolicyServer.of(args, environment, io, await projectServers(args, io));
    const { to, base, difference } = await beforeSending(io, () => reviewed(args, environment, server, context));
    const isInForce = ({ deployment: now }: ActivePolicyBody): boolean => now?.restores === to;
    const last = await reportingInterrupts({ environment, base, isInForce }, server, io, async () => {
      const answer = await server.rollback({ to, base, because: args.because });
      return settled(answer, server, waitForMs, io);
    });
    const report: z.infer<typeof OUTPUT> = {
      schemaVersion: 1,
      ...last,
      changes: difference?.changes ?? null,
      effect: difference?.effect ?? null,
    };
    const text = [`Rolled back  ${environment} ${numbered(last.deployment.number)}`, ...replicaLines(last)].join('\n');
    await write(io.stdout, args.json ? `${JSON.stringify(report, null, 2)}\n` : `${text}\n`);
    return settledOutcome(last);
  },
});

/** Finds the target deployment, prints the effect and asks for confirmation, unless `--yes` is given. */
async function reviewed(args: RollbackArgs, environment: Environment, server: PolicyServer, context: CommandContext) {
  const { io } = context;
  const { base } = await server.active();
  const to = args.to ?? targetOf(await server.history(HISTORY_LIMIT), base.digest);
  if (to >= base.number)
    throw usageError(
      base.number === 0
        ? `the policies folder of the server is in force in ${environment}: there is no deployment to roll back`
        : `${environment} is at #${base.number}: name an earlier deployment, or 0 for the policies folder`,
    );
  const difference = await compared(server, to, context);
  const paint = colours(io.stderr, io.env, args.color);
  const lines = [
    `${paint.bold('Rollback')}  ${environment}  ${numbered(base.number)} ${short(base.digest)} → as ${numbered(to)}`,
    ...(difference === undefined
      ? ['  the effect is unknown: one of the two policies does not compile with the plugins installed here']
      : [...changesText(difference.changes, paint), ...effectText(difference.effect, paint)]),
  ];
  await write(io.stderr, `${lines.join('\n')}\n`);
  if (!args.yes) await askForWord(`Roll ${environment} back?`, environment, io);
  return { to, base, difference };
}

/** The number of the newest deployment with a different policy; 0 (the policies folder) if there is none. */
function targetOf(history: readonly DeploymentBody[], digest: string): number {
  const [current, ...earlier] = history;
  if (current === undefined) throw new CliError(EXIT.nothing, 'nothing is deployed, so there is nothing to roll back');
  return earlier.find((one) => one.digest !== null && one.digest !== digest)?.number ?? 0;
}

/** Determines the effect of a rollback. A policy that does not compile must not prevent the rollback: then the result is undefined. */
async function compared(server: PolicyServer, to: number, context: CommandContext) {
  try {
    const catalog = await context.catalog();
    const base = await compileBundle(await server.bundle(), catalog, context.io, 'the active policy');
    const next = await compileBundle(await server.bundle(to), catalog, context.io, numbered(to));
    const nowMs = Date.now();
    const effect = await effectOf(base, next, catalog, nowMs, yieldPoint(context.io));
    return { changes: policyChanges(base, next, nowMs), effect };
  } catch (error) {
    if (error instanceof CliError && error.exit === EXIT.uncompilable) return undefined;
    throw error;
  }
}
