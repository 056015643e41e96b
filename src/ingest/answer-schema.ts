import { z } from 'zod';
import { DECISION_ACTIONS, refuses, type DecisionAction } from '../core/index.js';
import { VIOLATION } from '../events/index.js';

/** The answer to a submitted event, by the event's type; a replayed answer equals the first one. */
const event_id = z.string().describe("The client's id, or the service's id if the client sent none.");
const violations = z.array(VIOLATION);
const redactions = z.array(z.strictObject({ type: z.string(), count: z.int() }));

/** The decisions on a call that is not refused. */
const GOING_ON = DECISION_ACTIONS.filter((action) => !refuses(action)) as [DecisionAction, ...DecisionAction[]];

export const SUBMITTED = z.union([
  z
    .strictObject({
      event_id,
      decision: z.enum(GOING_ON),
      violations,
      redactions,
      payload: z.record(z.string(), z.unknown()).optional().describe('With `redact`: the payload, ready to send.'),
    })
    .describe('Answer to `ai.request`.'),
  z.strictObject({ event_id, status: z.literal('recorded'), violations }).describe('Answer to `ai.response`.'),
  z.strictObject({ event_id }).describe('Answer to `ai.error` and `agent.tool_call`.'),
]);

export const BATCHED = z
  .strictObject({
    answers: z
      .array(
        z.strictObject({
          status: z.int().min(200).max(599).describe('The status with which the event alone would have been answered.'),
          retry_after: z.int().optional().describe('Seconds to wait before a retry, as in the header `Retry-After`.'),
          replayed: z
            .literal(true)
            .optional()
            .describe('The event was submitted before; this is the answer to the first submission.'),
          monitor_mode: z.literal('ignored').optional().describe('The policy ignores `monitor_mode` of clients.'),
          body: z.record(z.string(), z.unknown()).describe('The answer of `POST /v1/events`.'),
        }),
      )
      .describe('One for each event, in the order of the batch.'),
  })
  .meta({ id: 'BatchAnswers' });

export const REFUSED = z.strictObject({
  error: z.strictObject({
    type: z.enum(['content_policy_violation', 'tool_use_blocked']),
    message: z.string(),
    trace_id: z.string(),
    decision: z.literal('block'),
    violations,
    event_id,
    docs: z.string(),
  }),
});
