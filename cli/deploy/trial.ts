import { z } from 'zod';
import type { Environment } from '../../src/core/index.js';
import type { ApiClient } from '../api/index.js';
import { exportedLines } from '../events/export-stream.js';
import { parseLine } from '../events/json-stream.js';
import { CliError, EXIT } from '../exit-code.js';
import type { Io } from '../io.js';

/** The effects of a policy in an environment so far, according to the log. */
export interface Trial {
  readonly decisions: number;
  /** Number of hits, including those of monitored rules. */
  readonly hits: number;
  readonly enforced: number;
}

const DECIDED = z.object({
  decision: z.string().nullable(),
  policy: z.object({ digest: z.string().nullable() }).nullable(),
  violations: z.array(z.object({ enforced: z.boolean() })),
});

/**
 * Counts the recorded decisions of one policy.
 *
 * @param since time of its activation, RFC 3339
 * @throws ApiError if the token may not read events
 */
export async function trialOf(
  client: ApiClient,
  { environment, digest, since }: { environment: Environment; digest: string; since: string },
  io: Io,
): Promise<Trial> {
  let [decisions, hits, enforced] = [0, 0, 0];
  for await (const line of exportedLines(client, new URLSearchParams({ environment, from: since }), io)) {
    const event = DECIDED.safeParse(parseLine(line));
    if (!event.success) throw new CliError(EXIT.unavailable, 'the server sent a line that is not an event');
    const { decision, policy, violations } = event.data;
    if (decision === null || policy?.digest !== digest) continue;
    decisions += 1;
    hits += violations.length;
    enforced += violations.filter((one) => one.enforced).length;
  }
  return { decisions, hits, enforced };
}
