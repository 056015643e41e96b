/**
 * The commands `weir exceptions …`. They read the exceptions of the policy files or of a service.
 */
import { z } from 'zod';
import { EXCEPTION, exceptionsOf } from '../../../../src/authoring/index.js';
import type { CompiledPolicy } from '../../../../src/core/index.js';
import { ApiError, SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand, type CommandArgs, type CommandContext } from '../../../command.js';
import { compileBundle } from '../../../deploy/built-bundle.js';
import { exceptionLines } from '../../../deploy/exception-list.js';
import { ENVIRONMENT_FLAG } from '../../../deploy/flags.js';
import { PolicyServer } from '../../../deploy/policy-server.js';
import { projectServers } from '../../../deploy/project-config.js';
import { seenEnvironments } from '../../../deploy/seen-environments.js';
import { CliError, EXIT, usageError } from '../../../exit-code.js';
import { loadCompiledProject, POLICIES_OPTION } from '../../../input/compiled-project.js';
import { write } from '../../../io.js';
import { plural } from '../../../output/plural.js';
import { andMore, environmentIn, environmentWord, LIMIT_OPTION, limited } from '../../../vocabulary.js';

const USE = z.object({
  hits_30d: z
    .int()
    .nullable()
    .describe(
      'Number of events of the last 30 days to which the exception applied; null without --deployed, or if it is unknown.',
    ),
  kept_30d: z
    .int()
    .nullable()
    .describe('Number of the events in `hits_30d` that would have been refused or redacted without the exception.'),
  last_hit: z.string().nullable(),
});
const LISTED = z.array(EXCEPTION.extend(USE.shape));
type Listed = z.infer<typeof LISTED>;
const UNREAD = z.array(z.object({ environment: z.string(), why: z.string() }));
const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  exceptions: LISTED,
  more: z.boolean(),
  unread: UNREAD.describe('With --deployed: environments whose deployed policy cannot be read.'),
});
const USED = z.object({ data: z.array(z.object({ id: z.string(), ...USE.partial().shape })) });
const UNKNOWN = { hits_30d: null, kept_30d: null, last_hit: null };

const OPTIONS = {
  ...SERVER_OPTIONS,
  ...POLICIES_OPTION,
  ...ENVIRONMENT_FLAG,
  ...LIMIT_OPTION,
  deployed: {
    type: 'boolean',
    default: false,
    describe: 'List the exceptions of the server instead of the policies folder',
  },
} as const;
const ARGUMENTS = environmentWord('default: all');

export type ExceptionsListArgs = CommandArgs<typeof OPTIONS, typeof ARGUMENTS>;

/** `weir exceptions list [environment]`: lists exceptions and their expiry. */
export const exceptionsList = defineCommand({
  usage: 'list [environment]',
  summary: 'List exceptions with their expiry dates',
  positionals: ARGUMENTS,
  options: OPTIONS,
  output: OUTPUT,

  async run(args, context) {
    const { io } = context;
    const nowMs = Date.now();
    const { all, unread } = args.deployed
      ? await deployedExceptions(args, context, nowMs)
      : { all: localExceptions(await localPolicies(args, context), nowMs), unread: [] };
    const { rows: exceptions, more } = limited(all, args);
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, exceptions, more, unread };
    const text = exceptions
      .flatMap((one) => exceptionLines(one, nowMs))
      .map((line) => `${line}\n`)
      .join('');
    await write(io.stdout, args.json ? `${JSON.stringify(report, null, 2)}\n` : text);
    for (const { environment, why } of unread) io.stderr.write(`${environment}: ${why}\n`);
    const expired = all.filter(({ state }) => state === 'expired').length;
    const soon = all.filter(({ state }) => state.startsWith('within')).length;
    const [first, ...others] = unread;
    if (first !== undefined) {
      const names = [first, ...others].map(({ environment }) => environment).join(', ');
      return {
        exit: EXIT.uncompilable,
        words: `the active policy of ${names} cannot be read; other environments: ${plural(exceptions.length, 'exception')}`,
      };
    }
    if (expired > 0)
      return { exit: EXIT.findings, words: `${plural(expired, 'exception')} expired, ${soon} expiring within 30 days` };
    return {
      exit: EXIT.ok,
      words: `${plural(exceptions.length, 'exception')}${andMore(more)}, ${soon} expiring within 30 days`,
    };
  },
});

async function localPolicies(args: ExceptionsListArgs, context: CommandContext): Promise<CompiledPolicy[]> {
  const { policies } = await loadCompiledProject(args, context);
  const environment = environmentIn(args);
  if (environment === undefined) return [...policies.values()];
  const policy = policies.get(environment);
  if (policy === undefined) throw usageError(`the policies folder has no environment ${environment}`);
  return [policy];
}

function localExceptions(policies: readonly CompiledPolicy[], nowMs: number): Listed {
  return policies.flatMap((policy) => exceptionsOf(policy, nowMs)).map((one) => ({ ...one, ...UNKNOWN }));
}

/** Lists the exceptions of the deployed policies. An uncompilable policy is reported and does not hide the other environments. */
async function deployedExceptions(
  args: ExceptionsListArgs,
  context: CommandContext,
  nowMs: number,
): Promise<{ readonly all: Listed; readonly unread: z.infer<typeof UNREAD> }> {
  const { io } = context;
  const named = environmentIn(args);
  const config = await projectServers(args, io);
  const all: Listed = [];
  const unread: z.infer<typeof UNREAD> = [];
  for (const environment of named === undefined ? await seenEnvironments(args, io, config) : [named]) {
    const server = await PolicyServer.of(args, environment, io, config);
    const bundle = await server.bundle();
    try {
      const policy = await compileBundle(bundle, await context.catalog(), io, 'the active policy');
      const used = await usedOf(server);
      all.push(...exceptionsOf(policy, nowMs).map((one) => ({ ...one, ...(used.get(one.id) ?? UNKNOWN) })));
    } catch (error) {
      if (named !== undefined || !(error instanceof CliError) || error.exit !== EXIT.uncompilable) throw error;
      unread.push({ environment, why: error.message });
    }
  }
  return { all, unread };
}

/** Asks the service how often each exception was used; empty for a service of an earlier version. */
async function usedOf({ client, environment }: PolicyServer): Promise<ReadonlyMap<string, z.infer<typeof USE>>> {
  const answer = await client.get(`/v1/policies/${environment}/exceptions`).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return { data: [] };
    throw error;
  });
  const read = USED.safeParse(answer);
  if (!read.success) throw new ApiError(0, 'bad_answer', 'the answer is not a list of exceptions');
  return new Map(
    read.data.data.map(({ id, hits_30d = null, kept_30d = null, last_hit = null }) => [
      id,
      { hits_30d, kept_30d, last_hit },
    ]),
  );
}
