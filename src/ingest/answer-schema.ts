import { z } from 'zod';
import { DECISION_ACTIONS, refuses, type DecisionAction } from '../core/index.js';
import { VIOLATION } from '../events/index.js';

/** The answer to a submitted event, by the event's type; a replayed answer equals the first one. */
const event_id = z
  .string()
  .describe('Id that the client gave the event, or the id from the service if the client sent none.');
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
      payload: z
        .record(z.string(), z.unknown())
        .optional()
        .describe('The masked payload to send to the provider; only with the decision `redact`.'),
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
          status: z
            .int()
            .min(200)
            .max(599)
            .describe('Status of the answer that the event would have got if it had been submitted alone.'),
          retry_after: z.int().optional().describe('Seconds to wait before a retry, as in the header `Retry-After`.'),
          replayed: z
            .literal(true)
            .optional()
            .describe('True if the event was submitted before; this is then the answer to the first submission.'),
          monitor_mode: z
            .literal('ignored')
            .optional()
            .describe(
              '`ignored` if the event asks for `monitor_mode`, but the policy ignores such requests of clients.',
            ),
          body: z.record(z.string(), z.unknown()).describe('Body of the answer that `POST /v1/events` would give.'),
        }),
      )
      .describe('One answer for each event, in the order of the batch.'),
  })
  .meta({ id: 'BatchAnswers' });

export const REFUSED = z.strictObject({
  error: z.strictObject({
    type: z.enum(['content_policy_violation', 'tool_use_blocked', 'budget_exceeded']),
    message: z.string(),
    trace_id: z.string(),
    decision: z.literal('block'),
    violations: violations.describe('The rules that fired; a refusal by a budget lists those that did not refuse.'),
    event_id,
    docs: z.string(),
  }),
});
