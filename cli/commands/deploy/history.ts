import { z } from 'zod';
import { DEPLOYMENT, type DeploymentBody } from '../../../src/core/index.js';
import { SERVER_OPTIONS } from '../../api/index.js';
import { defineCommand } from '../../command.js';
import { ENVIRONMENT_FLAG } from '../../deploy/flags.js';
import { numbered, short } from '../../deploy/plan-text.js';
import { PolicyServer } from '../../deploy/policy-server.js';
import { projectServers } from '../../deploy/project-config.js';
import { seenEnvironments } from '../../deploy/seen-environments.js';
import { EXIT } from '../../exit-code.js';
import { POLICIES_OPTION } from '../../input/compiled-project.js';
import { write } from '../../io.js';
import { nameAndId } from '../../output/columns.js';
import { plural } from '../../output/plural.js';
import { environmentIn, environmentWord, limitOf, limitOption } from '../../vocabulary.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), deployments: z.array(DEPLOYMENT) });

/** `weir history [environment]`: lists deployments, newest first; without an environment, those of all environments. */
export const history = defineCommand({
  usage: 'history [environment]',
  summary: 'List the deployments of one or all environments',
  positionals: environmentWord('default: all that the token can access'),
  options: {
    ...SERVER_OPTIONS,
    ...POLICIES_OPTION,
    ...ENVIRONMENT_FLAG,
    ...limitOption(20),
  },
  output: OUTPUT,

  async run(args, { io }) {
    const limit = limitOf(args);
    const named = environmentIn(args);
    const config = await projectServers(args, io);
    const found: DeploymentBody[] = [];
    for (const environment of named === undefined ? await seenEnvironments(args, io, config) : [named]) {
      found.push(...(await (await PolicyServer.of(args, environment, io, config)).history(limit)));
    }
    if (named === undefined) found.sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
    const deployments = found.slice(0, limit);
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, deployments };
    const place = ({ environment }: DeploymentBody): string =>
      named === undefined ? `${environment.padEnd(11)}  ` : '';
    const text = deployments.map((one) => `${place(one)}${deploymentLine(one)}\n`).join('');
    await write(io.stdout, args.json ? `${JSON.stringify(report, null, 2)}\n` : text);
    const words =
      deployments.length === 0
        ? `nothing was ever deployed to ${named ?? 'any environment'}; the policies folder is active`
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

/** The author of a deployment: name and id. For a deleted person or token only the kind, and for a token also its id. */
function deployer({ by_name: name, token_id: token, person_id: person }: DeploymentBody): string {
  if (name !== null) return oneLine(nameAndId(name, token ?? person));
  return token === null ? 'a deleted person' : `a deleted token (${oneLine(token)})`;
}

/** Makes a user-written text safe for a terminal: no control characters. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').trim();
}
