import type { Argv } from 'yargs';
import type { Command, GlobalArgs } from '../command.js';
import { carryOut, DEPLOYED, type DeployFlags } from '../deploy/carry-out.js';
import { environmentOf, projectServerOptions, type ProjectServerArgs } from '../deploy/flags.js';
import { planText } from '../deploy/plan-text.js';
import { readPlan } from '../deploy/plan.js';
import { PolicyServer } from '../deploy/policy-server.js';
import { projectConfig } from '../deploy/project-config.js';
import { DEFAULT_WAIT_SECONDS } from '../deploy/settle.js';
import { usageError } from '../exit-code.js';
import { write } from '../io.js';
import { colours } from '../output/colour.js';
import { planFor, type PlanArgs } from './plan.js';

export type DeployArgs = ProjectServerArgs & DeployFlags & Pick<PlanArgs, 'bundle' | 'allowUntested'> & PlanFile;

interface PlanFile {
  readonly plan: string | undefined;
}

/** `weir deploy <environment>`: puts a policy in force on every replica. */
export const deploy: Command<DeployArgs> = {
  output: DEPLOYED,

  build(parser) {
    return deployFlags(projectServerOptions(parser))
      .option('plan', {
        type: 'string',
        requiresArg: true,
        describe: 'Deploy exactly this plan file, made by `weir plan -o`',
      })
      .option('bundle', {
        type: 'string',
        requiresArg: true,
        describe: 'Deploy this bundle instead of the policies folder',
      })
      .option('allow-untested', {
        type: 'boolean',
        default: false,
        describe: 'Deploy even if the policy has no tests',
      })
      .conflicts('plan', 'bundle') as unknown as Argv<DeployArgs>;
  },

  async run(args, context) {
    const { io } = context;
    const environment = environmentOf(args.environment);
    if (args.plan !== undefined) {
      const plan = await readPlan(args.plan, io);
      if (plan.environment !== environment) throw usageError(`${args.plan} is a plan for ${plan.environment}`);
      const server = await PolicyServer.of(args, environment, io, await projectConfig(args.policies, io));
      return carryOut(plan, server, args, true, io);
    }
    const { made, server } = await planFor(args, context);
    await write(io.stderr, `${planText(made, colours(io.stderr, io.env, args.color))}\n`);
    return carryOut(made, server, args, false, io);
  },
};

/** The flags of everything that deploys. */
export function deployFlags<Args extends GlobalArgs>(parser: Argv<Args>): Argv<Args & DeployFlags> {
  return parser
    .option('yes', { alias: 'y', type: 'boolean', default: false, describe: 'Skip the confirmation' })
    .option('wait', {
      type: 'number',
      requiresArg: true,
      describe: `Seconds to wait for the replicas; default ${DEFAULT_WAIT_SECONDS}`,
    })
    .option('because', { type: 'string', requiresArg: true, describe: 'Reason, kept in the history' })
    .option('discard-emergency', {
      type: 'boolean',
      default: false,
      describe: 'Overwrite a change that was made on the server and is not in the sources',
    }) as unknown as Argv<Args & DeployFlags>;
}
