import { z } from 'zod';
import { ACTIVE_POLICY, DEPLOYMENT, REPLICA, type Environment } from '../../../src/core/index.js';
import { ApiError, SERVER_OPTIONS } from '../../api/index.js';
import { defineCommand, type CommandArgs } from '../../command.js';
import { ENVIRONMENT_ARGUMENT, ENVIRONMENT_FLAG } from '../../deploy/flags.js';
import { numbered, short } from '../../deploy/plan-text.js';
import { PolicyServer } from '../../deploy/policy-server.js';
import { projectServers } from '../../deploy/project-config.js';
import { replicaLines } from '../../deploy/settle.js';
import { EXIT, usageError } from '../../exit-code.js';
import { POLICIES_OPTION } from '../../input/compiled-project.js';
import { write } from '../../io.js';
import { deploymentLine } from './history.js';
import { neededEnvironment } from '../../vocabulary.js';

const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  environment: ACTIVE_POLICY.shape.environment,
  digest: z.string().nullable(),
  deployment: DEPLOYMENT.nullable().describe('The deployment; null if the policies folder is active.'),
  replicas: z.array(REPLICA),
  files: z.array(z.strictObject({ path: z.string(), text: z.string() })).nullable(),
});

const OPTIONS = {
  ...SERVER_OPTIONS,
  ...POLICIES_OPTION,
  ...ENVIRONMENT_FLAG,
  files: {
    type: 'boolean',
    default: false,
    describe: 'Also print the policy files',
  },
} as const;
const ARGUMENTS = {
  ...ENVIRONMENT_ARGUMENT,
  number: { type: 'number', describe: 'Deployment number; default: the active one' },
} as const;

type ShowArgs = CommandArgs<typeof OPTIONS, typeof ARGUMENTS>;

/** `weir show <environment> [number]`: one deployment with the state of each replica, and its files with `--files`. */
export const show = defineCommand({
  usage: 'show [environment] [number]',
  summary: 'Show one deployment and the policy of each replica',
  positionals: ARGUMENTS,
  options: OPTIONS,
  output: OUTPUT,

  async run(args, { io }) {
    const { environment, number } = chosen(args);
    if (number !== undefined && (!Number.isInteger(number) || number < 1))
      throw usageError('deployment numbers start at 1: see weir history');
    const server = await PolicyServer.of(args, environment, io, await projectServers(args, io));
    const found =
      number === undefined
        ? await server.active()
        : await server
            .deployment(number)
            .then(({ deployment, replicas }) => ({ digest: deployment.digest, deployment, replicas }))
            .catch((error: unknown) => {
              if (!(error instanceof ApiError) || error.status !== 404) throw error;
              throw usageError(`${environment} has no deployment ${number}. See: weir history ${environment}`);
            });
    const { deployment, replicas, digest } = found;
    const files = args.files ? (await server.bundle(number)).files : null;
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, environment, digest, deployment, replicas, files };
    const lines = [
      deployment === null ? `policies folder  ${digest ?? ''}` : deploymentLine(deployment),
      ...(deployment === null ? [] : [`policy  ${deployment.digest ?? 'policies folder'}`]),
      ...(deployment === null || deployment.bundle_digest === null ? [] : [`bundle  ${deployment.bundle_digest}`]),
      ...(deployment?.changed_files ?? []).map((path) => `changed on the server  ${path}`),
      ...(deployment?.waived_tests ?? []).map((test) => `allowed to fail  ${test}`),
      ...replicaLines({ replicas }),
      ...(files ?? []).flatMap(({ path, text }) => [`--- ${path}`, text.trimEnd()]),
    ];
    await write(io.stdout, args.json ? `${JSON.stringify(report, null, 2)}\n` : `${lines.join('\n')}\n`);
    return { exit: EXIT.ok, words: `${environment} ${numbered(deployment?.number ?? null)} ${short(digest)}` };
  },
});

/** With `--env`, a single argument may be the number. */
function chosen({ environment: word, env, number }: ShowArgs): {
  environment: Environment;
  number: number | undefined;
} {
  const isNumber = env !== undefined && number === undefined && word !== undefined && /^\d+$/.test(word);
  if (isNumber) return { environment: neededEnvironment({ env }), number: Number(word) };
  return { environment: neededEnvironment({ environment: word, env }), number };
}
