import { z } from 'zod';
import { explainDecision } from '../../../src/authoring/index.js';
import { DECISION_ACTIONS, readRecordedDecision, type RecordedDecision } from '../../../src/core/index.js';
import { SERVER_OPTIONS } from '../../api/index.js';
import { explainText } from '../../backtest/explain-text.js';
import { recordedPolicy } from '../../backtest/recorded-policy.js';
import { defineCommand } from '../../command.js';
import { EVENT_PLACE_OPTIONS, fetchEvent } from '../../events/fetch-event.js';
import { CliError, EXIT, type Outcome } from '../../exit-code.js';
import { POLICIES_OPTION } from '../../input/compiled-project.js';
import { write } from '../../io.js';

const VERDICT = z.enum([...DECISION_ACTIONS, 'unavailable']);
const STAGE = z.strictObject({
  stage: z.enum(['pre', 'post', 'tool']),
  toolCall: z.number().nullable(),
  recorded: VERDICT,
  recomputed: VERDICT.nullable().describe('The recomputed decision; null if it is unknown.'),
  fired: z.array(z.strictObject({ rule: z.string(), action: z.string(), enforced: z.boolean() })),
  differs: z.array(z.string()).describe('Rules whose recomputed result differs from the recorded one.'),
  missing: z.array(z.string()).describe('Facts that are needed to recompute the decision, but were not stored.'),
  conditions: z
    .record(z.string(), z.boolean().nullable())
    .describe('Result of each leaf condition; null if it is unknown.'),
});
const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  event: z.string(),
  policy: z.strictObject({ digest: z.string(), found: z.string().nullable() }),
  reproduced: z.enum(['yes', 'no', 'cannot tell']),
  stages: z.array(STAGE),
});
type Explained = z.infer<typeof STAGE>;

/** `weir explain`: shows the reasons of a decision, condition by condition, and whether it can be reproduced. */
export const explain = defineCommand({
  usage: 'explain <event>',
  summary: 'Explain the decision on a recorded call, and reproduce it',
  positionals: {
    event: { type: 'string', demandOption: true, describe: 'Event id' },
  },
  options: {
    ...POLICIES_OPTION,
    ...SERVER_OPTIONS,
    ...EVENT_PLACE_OPTIONS,
    all: {
      type: 'boolean',
      default: false,
      describe: 'Include rules that did not fire',
    },
  },
  output: OUTPUT,

  async run(args, context): Promise<Outcome> {
    const { io } = context;
    const record = decisionOf(await fetchEvent(args, io));
    const digest = record.policyDigest ?? '';
    const found = await recordedPolicy(digest, record.environment, args, context);
    const { stages: explained, reproduced } = await explainDecision(record, found?.policy);
    const stages = explained.map((stage): Explained => ({
      stage: stage.snapshot.stage,
      toolCall: stage.snapshot.tool_call ?? null,
      recorded: stage.recorded,
      recomputed: stage.recomputed,
      fired: stage.snapshot.fired.map(({ rule, action, enforced }) => ({ rule, action, enforced })),
      differs: [...stage.differs],
      missing: [...stage.missing],
      conditions: { ...stage.snapshot.leaves },
    }));
    const report: z.infer<typeof OUTPUT> = {
      schemaVersion: 1,
      event: record.id,
      policy: { digest, found: found?.from ?? null },
      reproduced,
      stages,
    };
    const text = explainText(record, explained, found?.policy, args.all);
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : text);
    if (reproduced === 'yes')
      return { exit: EXIT.ok, words: `reproduced: yes, by the policy ${digest.slice(0, 12)} of ${found?.from ?? ''}` };
    if (reproduced === 'no') return { exit: EXIT.findings, words: 'reproduced: no' };
    const why =
      found === undefined
        ? `the policy ${digest.slice(0, 12)} is neither in the policies folder nor on the server`
        : 'some facts were not stored';
    return { exit: EXIT.ok, words: `reproduced: cannot tell, ${why}` };
  },
});

/** For an event without a decision, such as a `policy.violation`: a hint at the event that contains the decision. */
function causeOf(event: unknown): string {
  const parent = z.object({ parent_id: z.string() }).safeParse(event).data?.parent_id;
  return parent === undefined
    ? 'use the event id of a request, an answer or a tool call'
    : `explain the event that caused it: ${parent}`;
}

/**
 * Reads the stored decision of an event.
 *
 * @throws CliError exit 7 if no rule judged the event or its facts were not stored, 4 if the decision is unreadable
 */
export function decisionOf(event: unknown): RecordedDecision {
  const read = readRecordedDecision(event);
  switch (read.kind) {
    case 'decision':
      return read.decision;
    case 'other':
      throw new CliError(EXIT.nothing, `no rule judged this event; ${causeOf(event)}`);
    case 'old':
      throw new CliError(
        EXIT.nothing,
        'the event was recorded by an earlier version, without the facts needed to explain it',
      );
    case 'broken':
      throw new CliError(EXIT.unavailable, 'the event cannot be read by this version of weir');
  }
}
