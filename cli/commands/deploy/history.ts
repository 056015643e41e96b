import { z } from 'zod';
import { DEPLOYMENT, type DeploymentBody } from '../../../src/core/index.js';
import { SERVER_OPTIONS } from '../../api/index.js';
import { defineCommand } from '../../command.js';
import { ENVIRONMENT_ARGUMENT, environmentOf } from '../../deploy/flags.js';
import { numbered, short } from '../../deploy/plan-text.js';
import { PolicyServer } from '../../deploy/policy-server.js';
import { projectConfig } from '../../deploy/project-config.js';
import { EXIT, usageError } from '../../exit-code.js';
import { POLICIES_OPTION } from '../../input/compiled-project.js';
import { write } from '../../io.js';
import { plural } from '../../output/plural.js';

const MAX_LIMIT = 10_000;
const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), deployments: z.array(DEPLOYMENT) });

/** `weir history <environment>`: what was deployed, newest first. */
export const history = defineCommand({
  usage: 'history <environment>',
  summary: 'List the deployments of an environment',
  positionals: {
    ...ENVIRONMENT_ARGUMENT,
  },
  options: {
    ...SERVER_OPTIONS,
    ...POLICIES_OPTION,
    limit: {
      type: 'number',
      requiresArg: true,
      default: 20,
      describe: 'Maximum number of deployments',
    },
  },
  output: OUTPUT,

  async run(args, { io }) {
    const environment = environmentOf(args.environment);
    if (!Number.isInteger(args.limit) || args.limit < 1 || args.limit > MAX_LIMIT)
      throw usageError(`--limit takes a whole number from 1 to ${MAX_LIMIT}`);
    const server = await PolicyServer.of(args, environment, io, await projectConfig(args.policies, io));
    const deployments = await server.history(args.limit);
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, deployments };
    const text = deployments.map((one) => `${deploymentLine(one)}\n`).join('');
    await write(io.stdout, args.json ? `${JSON.stringify(report, null, 2)}\n` : text);
    const words =
      deployments.length === 0
        ? `nothing was ever deployed to ${environment}; the policies folder is active`
        : plural(deployments.length, 'deployment');
    return { exit: EXIT.ok, words };
  },
});

/** One deployment in one line. */
export function deploymentLine(one: DeploymentBody): string {
  const what = one.restores === null ? one.action : `rollback to ${numbered(one.restores)}`;
  const { commit, clean } = one.source;
  const parts = [
    numbered(one.number).padEnd(5),
    one.created_at,
    (one.digest === null ? 'folder' : short(one.digest)).padEnd(12),
    one.emergency ? 'EMERGENCY' : what,
    commit === null ? '' : `git ${short(commit)}${clean ? '' : ' (changed)'}`,
    one.signed_by.length === 0 ? '' : `signed by ${one.signed_by.join(', ')}`,
    `by ${deployer(one)}`,
    one.because === null ? '' : `"${oneLine(one.because)}"`,
  ];
  return parts.filter((part) => part !== '').join('  ');
}

/** Who deployed, by name; of those who are gone what they were. */
function deployer({ by_name: name, token_id: token }: DeploymentBody): string {
  if (name !== null) return oneLine(name);
  return token === null ? 'a person who is gone' : `a deleted token (${oneLine(token)})`;
}

/** What somebody wrote goes to a terminal: no control characters. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').trim();
}
