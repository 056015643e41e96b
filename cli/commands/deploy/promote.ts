import { sha256Hex } from '../../../src/bundles/index.js';
import { entryFiles, makeBundle, type Bundle, type Environment } from '../../../src/core/index.js';
import { SERVER_OPTIONS } from '../../api/index.js';
import { defineCommand, textOption, type CommandArgs, type CommandContext } from '../../command.js';
import { compileBundle } from '../../deploy/built-bundle.js';
import { carryOut, DEPLOYED } from '../../deploy/execute-plan.js';
import { DEPLOY_OPTIONS, UNTESTED_OPTION } from '../../deploy/flags.js';
import { numbered, planText, short } from '../../deploy/plan-text.js';
import { makePlan, obstacle } from '../../deploy/plan.js';
import { PolicyServer } from '../../deploy/policy-server.js';
import { projectConfig } from '../../deploy/project-config.js';
import { liveOf } from '../../deploy/settle.js';
import { trialOf } from '../../deploy/trial.js';
import { CliError, EXIT, usageError, type Outcome } from '../../exit-code.js';
import { POLICIES_OPTION } from '../../input/compiled-project.js';
import { write, type Io } from '../../io.js';
import { colours } from '../../output/colour.js';
import { plural } from '../../output/plural.js';
import { environmentOf, outputFlag } from '../../vocabulary.js';
import { writeNamedFile } from '../../named-files.js';

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const OPTIONS = {
  ...SERVER_OPTIONS,
  ...POLICIES_OPTION,
  ...DEPLOY_OPTIONS,
  ...outputFlag('receives the plan for `weir deploy --plan`; nothing is deployed'),
  'min-age': textOption(
    'Minimum time for which the policy must have been active in the source environment, such as 7d or 12h',
  ),
  'min-decisions': {
    type: 'number',
    requiresArg: true,
    describe:
      'Minimum number of decisions that the policy has made in the source environment; the token also needs events:read',
  },
  ...UNTESTED_OPTION,
} as const;
const ARGUMENTS = {
  from: { type: 'string', demandOption: true, describe: 'Environment whose policy is promoted' },
  to: { type: 'string', demandOption: true, describe: 'Environment that receives the policy' },
} as const;

export type PromoteArgs = CommandArgs<typeof OPTIONS, typeof ARGUMENTS>;

/** `weir promote <from> <to>`: deploys the policy of another environment, from the sources deployed there. */
export const promote = defineCommand({
  usage: 'promote <from> <to>',
  summary: 'Deploy the policy that another environment runs',
  positionals: ARGUMENTS,
  options: OPTIONS,
  output: DEPLOYED,

  async run(args, context) {
    const { io } = context;
    const from = environmentOf(args.from);
    const to = environmentOf(args.to);
    if (from === to) throw usageError('promote needs two different environments');
    const { minDecisions: least } = args;
    if (least !== undefined && !(Number.isInteger(least) && least >= 0))
      throw usageError('--min-decisions takes a whole number');
    const config = await projectConfig(args, io);
    const nowMs = Date.now();
    const source = await PolicyServer.of(args, from, io, config);
    const evidence = await proven(source, args, nowMs, io);
    const { bundle, policy, catalog } = await retargeted(await source.bundle(), to, context);
    const server = await PolicyServer.of(args, to, io, config);
    const common = { bundle, policy, catalog, server, nowMs, io, untested: args.allowUntested };
    const plan = await makePlan({ ...common, action: 'promote', ...(config && { config }) });
    const paint = colours(io.stderr, io.env, args.color);
    await write(io.stderr, `${evidence}\n${planText(plan, paint)}\n`);
    if (args.output === undefined) return carryOut(plan, server, args, false, io);
    const { output } = args;
    const problem = obstacle(plan);
    if (problem !== undefined) throw new CliError(problem.exit, `${problem.words}; no plan was written`);
    await writeNamedFile(output, `${JSON.stringify(plan, null, 2)}\n`, io);
    if (args.json) await write(io.stdout, `${JSON.stringify(NOTHING_YET, null, 2)}\n`);
    return { exit: EXIT.ok, words: `the plan is in ${output}; nothing was deployed` } satisfies Outcome;
  },
});

const NOTHING_YET = { schemaVersion: 1, deployed: false, deployment: null, replicas: [] } as const;

/**
 * Checks the source deployment: for how long and on how many replicas it is in force, and how many decisions it has made. Returns these
 * facts as text. Throws if they do not satisfy the flags.
 */
async function proven(
  server: PolicyServer,
  { minAge, minDecisions }: Pick<PromoteArgs, 'minAge' | 'minDecisions'>,
  nowMs: number,
  io: Io,
): Promise<string> {
  const active = await server.active();
  const { deployment, replicas } = active;
  if (deployment === null || deployment.bundle_digest === null)
    throw new CliError(EXIT.nothing, `nothing is deployed to ${server.environment}; deploy there first`);
  if (deployment.emergency)
    throw new CliError(
      EXIT.pending,
      `${server.environment} runs a policy that was changed on the server: deploy from the sources`,
    );
  const ageMs = nowMs - Date.parse(deployment.created_at);
  const wantedMs = minAge === undefined ? 0 : durationMs(minAge);
  if (ageMs < wantedMs) {
    const words = `${server.environment} ${numbered(deployment.number)} has been in force for ${age(ageMs)}, less than ${minAge}`;
    throw new CliError(EXIT.findings, words);
  }
  const good = replicas.filter(({ state }) => state === 'active').length;
  if (good === 0 || good < liveOf(active).length) {
    const where = good === 0 ? 'on any' : 'on every';
    throw new CliError(EXIT.findings, `the policy of ${server.environment} is not in force ${where} replica`);
  }
  const paint = colours(io.stderr, io.env, undefined);
  const force = `${paint.bold('From')}    ${server.environment} ${numbered(deployment.number)} ${short(deployment.digest)}, in force for ${age(ageMs)} on ${good} replicas`;
  if (minDecisions === undefined) return force;
  const { environment, client } = server;
  const since = deployment.created_at;
  const { decisions, hits, enforced } = await trialOf(client, { environment, digest: active.digest, since }, io);
  if (decisions < minDecisions) {
    const words = `${environment} ${numbered(deployment.number)} has made ${decisions} decisions, fewer than ${minDecisions}`;
    throw new CliError(EXIT.findings, words);
  }
  return `${force}\n        ${plural(decisions, 'decision')}, ${plural(hits, 'hit')}, ${enforced} of them enforced`;
}

/** Compiles the files and tests of a bundle for another environment and returns the new bundle. */
async function retargeted(bundle: Bundle, environment: Environment, context: CommandContext) {
  const { files, tests, source } = bundle;
  if (entryFiles(files, environment).length === 0)
    throw usageError(`the bundle deployed to ${bundle.environment} contains no files for ${environment}`);
  const catalog = await context.catalog();
  const policy = await compileBundle({ files, environment }, catalog, context.io, `the bundle for ${environment}`);
  const made = makeBundle({ policy, digest: sha256Hex(policy.canonical), files, tests, source });
  return { bundle: made, policy, catalog };
}

function durationMs(text: string): number {
  const match = /^(\d{1,6})([mhd])$/.exec(text);
  if (match === null) throw usageError('--min-age takes a duration such as 7d, 12h or 30m');
  return Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
}

function age(ms: number): string {
  const [unit, size] = ms >= UNIT_MS.d ? ['d', UNIT_MS.d] : ms >= UNIT_MS.h ? ['h', UNIT_MS.h] : ['min', UNIT_MS.m];
  return `${Math.floor(ms / (size as number))} ${unit}`;
}
