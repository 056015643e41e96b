import { SERVER_OPTIONS } from '../../api/index.js';
import { defineCommand, type CommandArgs, type CommandContext } from '../../command.js';
import { buildBundle, compileBundle } from '../../deploy/built-bundle.js';
import { readBundleFile } from '../../deploy/bundle-file.js';
import {
  BUNDLE_OPTION,
  ENVIRONMENT_ARGUMENT,
  ENVIRONMENT_FLAG,
  UNTESTED_OPTION,
  type ProjectServerArgs,
} from '../../deploy/flags.js';
import { planMarkdown, planText, short } from '../../deploy/plan-text.js';
import { isSettled, makePlan, obstacle, PLAN, type Plan } from '../../deploy/plan.js';
import { PolicyServer } from '../../deploy/policy-server.js';
import { projectConfig } from '../../deploy/project-config.js';
import { EXIT, usageError } from '../../exit-code.js';
import { POLICIES_OPTION } from '../../input/compiled-project.js';
import { write, type Io } from '../../io.js';
import { colours } from '../../output/colour.js';
import { neededEnvironment, outputFlag } from '../../vocabulary.js';
import { writeNamedFile } from '../../named-files.js';

const FORMATS = ['pretty', 'json', 'markdown'] as const;

const OPTIONS = {
  ...SERVER_OPTIONS,
  ...POLICIES_OPTION,
  ...ENVIRONMENT_FLAG,
  ...outputFlag('receives the plan for `weir deploy --plan`'),
  'exit-code': { type: 'boolean', default: false, describe: 'Exit 5 if anything would change' },
  ...BUNDLE_OPTION,
  ...UNTESTED_OPTION,
  all: { type: 'boolean', default: false, describe: 'Show every effect instead of the first few' },
  format: {
    choices: FORMATS,
    default: 'pretty',
    describe: 'Output format; markdown suits a comment on a pull request',
  },
} as const;
const ARGUMENTS = {
  ...ENVIRONMENT_ARGUMENT,
} as const;

export type PlanArgs = CommandArgs<typeof OPTIONS, typeof ARGUMENTS>;

/** `weir plan <environment>`: shows the effects of a deployment in advance. */
export const plan = defineCommand({
  usage: 'plan [environment]',
  summary: 'Show the changes that a deployment would make',
  positionals: ARGUMENTS,
  options: OPTIONS,
  output: PLAN,

  async run(args, context) {
    const { io } = context;
    const { made } = await planFor(args, context);
    const file = args.output;
    if (file !== undefined) {
      await writeNamedFile(file, `${JSON.stringify(made, null, 2)}\n`, io);
    }
    await write(io.stdout, `${reportOf(args, made, io)}\n`);
    const problem = obstacle(made);
    if (problem !== undefined) return { exit: problem.exit, words: `${problem.words}: the policy cannot be deployed` };
    if (isSettled(made)) {
      const where =
        made.base.number === 0 ? 'the policies folder of the server has this policy' : 'this policy is in force';
      return { exit: EXIT.ok, words: `no change for ${made.environment}: ${where} already` };
    }
    const weaker = made.effect.changed.weaker > 0 || made.changes.some((one) => one.weaker);
    const words = `${made.environment} ${short(made.base.digest)} → ${short(made.digest)}${weaker ? ', partly weaker' : ''}`;
    return { exit: args.exitCode ? EXIT.pending : EXIT.ok, words };
  },
});

function reportOf(args: PlanArgs, made: Plan, io: Io): string {
  switch (args.json ? 'json' : args.format) {
    case 'json':
      return JSON.stringify(made, null, 2);
    case 'markdown':
      return planMarkdown(made, args.all);
    case 'pretty':
      return planText(made, colours(io.stdout, io.env, args.color), args.all);
  }
}

/** Creates the plan for the flags of a command, from the policies folder or from a prebuilt bundle. */
export async function planFor(
  args: ProjectServerArgs & Pick<PlanArgs, 'bundle' | 'allowUntested'> & Partial<Pick<PlanArgs, 'all'>>,
  context: CommandContext,
): Promise<{ readonly made: Plan; readonly server: PolicyServer }> {
  const { io } = context;
  const environment = neededEnvironment(args);
  const common = {
    action: 'deploy',
    untested: args.allowUntested,
    all: args.all === true,
    nowMs: Date.now(),
    io,
  } as const;
  if (args.bundle !== undefined) {
    const bundle = await readBundleFile(args.bundle, io);
    if (bundle.environment !== environment) throw usageError(`${args.bundle} is for ${bundle.environment}`);
    const catalog = await context.catalog();
    const policy = await compileBundle(bundle, catalog, io, args.bundle);
    const config = await projectConfig(args, io);
    const server = await PolicyServer.of(args, environment, io, config);
    return { made: await makePlan({ ...common, bundle, policy, catalog, server, ...(config && { config }) }), server };
  }
  const { bundle, policy, catalog, project } = await buildBundle(args, environment, context);
  const server = await PolicyServer.of(args, environment, io, project.config);
  return { made: await makePlan({ ...common, bundle, policy, catalog, server, config: project.config }), server };
}
