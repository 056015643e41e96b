/** Filters, requests and output of events, shared by commands. Texts are left out unless `--show-content` is given. */
import { ACTION_NAMES, type RuleAction } from '../../src/core/index.js';
import { z } from 'zod';
import type { CommandContext } from '../command.js';
import { ApiError } from '../api/index.js';
import { compileBundle } from '../deploy/built-bundle.js';
import type { PolicyServer } from '../deploy/policy-server.js';
import { CliError, EXIT } from '../exit-code.js';
import { Progress } from '../output/progress.js';
import { exportedLines } from './export-stream.js';
import { parseLine } from './json-stream.js';
import { HitCounter, type RuleHits } from './rule-hits.js';

/** The maximum age of the times for which the service has aggregated statistics. */
const SUMMED_MS = 400 * 86_400_000;

const MARKS = z.strictObject({ right: z.int(), wrong: z.int(), missed: z.int() });
export type MarkCounts = z.infer<typeof MARKS>;

const HITS = {
  rule: z.string(),
  hits: z.int(),
  enforced: z.int(),
  excepted: z.int().optional(),
  first_hit: z.string().nullable(),
  last_hit: z.string().nullable(),
  marks: MARKS,
};
const ANSWER = z.object({
  digest: z.string(),
  data: z.array(
    z.object({
      ...HITS,
      formerly: z.array(z.string()),
      title: z.string(),
      stage: z.enum(['pre', 'post', 'tool']),
      action: z.enum(ACTION_NAMES),
      mode: z.enum(['enforce', 'monitor']),
    }),
  ),
  others: z.array(z.object(HITS)),
});

interface Counted extends RuleHits {
  readonly id: string;
  /** Null if the service does not store marks. */
  readonly marks: MarkCounts | null;
}

export interface CountedRule extends Counted {
  readonly formerly: readonly string[];
  readonly title: string;
  readonly stage: 'pre' | 'post' | 'tool';
  readonly action: RuleAction;
  readonly monitored: boolean;
}

export interface CountedRules {
  readonly digest: string;
  /** The rules of the active policy. */
  readonly rules: readonly CountedRule[];
  /** Rules that fired but are not in the active policy. */
  readonly others: readonly Counted[];
}

/**
 * Counts how often rules fired since an instant. It uses the aggregated statistics of the service (whole hours), or the log if the
 * service has none or they do not reach back far enough.
 */
export async function countedRules(
  server: PolicyServer,
  since: string,
  context: CommandContext,
  quiet: boolean,
): Promise<CountedRules> {
  const isSummed = Date.now() - Date.parse(since) < SUMMED_MS;
  return (isSummed ? await fromSums(server, since) : undefined) ?? fromLog(server, since, context, quiet);
}

/** Reads the aggregated statistics; undefined for a service without them. */
async function fromSums({ client, environment }: PolicyServer, since: string): Promise<CountedRules | undefined> {
  const query = new URLSearchParams({ from: since });
  const answer = await client
    .get(`/v1/policies/${environment}/rules/stats?${query.toString()}`)
    .catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    });
  if (answer === undefined) return undefined;
  const read = ANSWER.safeParse(answer);
  if (!read.success) throw new ApiError(0, 'bad_answer', 'the answer is not a list of rules');
  const { digest, data, others } = read.data;
  return {
    digest,
    rules: data.map((row) => ({
      ...{ id: row.rule, formerly: row.formerly, title: row.title, stage: row.stage, action: row.action },
      monitored: row.mode === 'monitor',
      ...hitsOf(row),
    })),
    others: others.map((row) => ({ id: row.rule, ...hitsOf(row) })),
  };
}

function hitsOf({
  hits,
  enforced,
  excepted,
  first_hit: firstHit,
  last_hit: lastHit,
  marks,
}: z.infer<typeof ANSWER>['others'][0]) {
  return { hits, enforced, excepted: excepted ?? null, firstHit, lastHit, marks };
}

async function fromLog(
  server: PolicyServer,
  since: string,
  context: CommandContext,
  quiet: boolean,
): Promise<CountedRules> {
  const { io } = context;
  const { environment } = server;
  const { digest } = await server.active();
  const policy = await compileBundle(await server.bundle(), await context.catalog(), io, 'the active policy');
  const counter = new HitCounter();
  const progress = new Progress(io, quiet);
  const query = new URLSearchParams({ environment, type: 'policy.violation', from: since });
  for await (const line of exportedLines(server.client, query, io)) {
    counter.add(parseLine(line));
    progress.tick(line.length);
  }
  progress.done();
  if (counter.broken > 0) throw new CliError(EXIT.unavailable, `${counter.broken} lines of the answer are not events`);
  return {
    digest,
    rules: policy.rules.map((rule) => ({
      ...{ id: rule.id, formerly: rule.formerly, title: rule.title, stage: rule.stage, action: rule.action },
      monitored: rule.monitor,
      ...counter.of(rule),
      marks: null,
    })),
    others: counter.strangers(policy).map((id) => ({ id, ...counter.of({ id, formerly: [] }), marks: null })),
  };
}
