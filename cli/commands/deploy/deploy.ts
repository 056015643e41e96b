import { SERVER_OPTIONS } from '../../api/index.js';
import { defineCommand, textOption } from '../../command.js';
import { carryOut, DEPLOYED } from '../../deploy/execute-plan.js';
import { beforeSending } from '../../deploy/interrupted.js';
import {
  BUNDLE_OPTION,
  DEPLOY_OPTIONS,
  ENVIRONMENT_ARGUMENT,
  ENVIRONMENT_FLAG,
  UNTESTED_OPTION,
} from '../../deploy/flags.js';
import { planText } from '../../deploy/plan-text.js';
import { readPlan } from '../../deploy/plan.js';
import { PolicyServer } from '../../deploy/policy-server.js';
import { projectServers } from '../../deploy/project-config.js';
import { usageError } from '../../exit-code.js';
import { POLICIES_OPTION } from '../../input/compiled-project.js';
import { write } from '../../io.js';
import { colours } from '../../output/colour.js';
import { planFor } from './plan.js';
import { environmentIn } from '../../vocabulary.js';

/** `weir deploy <environment>`: activates a policy on every replica. */
export const deploy = defineCommand({
  usage: 'deploy [environment]',
  summary: 'Activate a policy on every replica',
  positionals: {
    ...ENVIRONMENT_ARGUMENT,
  },
  options: {
    ...SERVER_OPTIONS,
    ...POLICIES_OPTION,
    ...ENVIRONMENT_FLAG,
    ...DEPLOY_OPTIONS,
    plan: textOption('Plan file made by `weir plan -o`; exactly this plan is deployed'),
    ...BUNDLE_OPTION,
    ...UNTESTED_OPTION,
  },
  conflicts: { plan: 'bundle' },
  output: DEPLOYED,

  async run(args, context) {
    const { io } = context;
    if (args.plan !== undefined) {
      // The plan names its environment; an environment in the arguments must be the same.
      const named = environmentIn(args);
      const plan = await readPlan(args.plan, io);
      const { environment } = plan;
      if (named !== undefined && named !== environment)
        throw usageError(`${args.plan} is a plan for ${environment}, not for ${named}`);
      const server = await PolicyServer.of(args, environment, io, await projectServers(args, io));
      return carryOut(plan, server, args, true, io);
    }
    const { made, server } = await beforeSending(io, () => planFor(args, context));
    await write(io.stderr, `${planText(made, colours(io.stderr, io.env, args.color))}\n`);
    return carryOut(made, server, args, false, io);
  },
});
