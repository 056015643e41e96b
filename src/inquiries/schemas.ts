/** The bodies of the routes that answer questions about policies and decisions. */
import { z } from 'zod';
import { EXCEPTION, POLICY_CHANGE } from '../authoring/index.js';
import { ACTION_NAMES, DECISION_ACTIONS, BUNDLE_SCHEMA } from '../core/index.js';

const MAX_TEXT = 200_000;
const MAX_MESSAGES = 200;

const STAGE = z.enum(['pre', 'post', 'tool']);
const DIGEST = z.string().describe('Digest of the policy: SHA-256, in hex.');
const LINE = z.int().describe('Line number, from 1.');

const RULE = z
  .strictObject({
    id: z.string(),
    title: z.string(),
    prose: z.string().describe('Description of the rule in sentences, one per line; lines of conditions are indented.'),
    stage: STAGE,
    severity: z.enum(['low', 'medium', 'high', 'critical']),
    action: z.enum(ACTION_NAMES),
    mode: z.enum(['enforce', 'monitor']),
    owner: z.string().nullable(),
    review_by: z.string().nullable().describe('Date by which the rule is to be reviewed.'),
    formerly: z.array(z.string()).describe('Former ids of the rule.'),
    tags: z.array(z.string()),
    path: z.string(),
    line: LINE,
    end_line: LINE,
    tests: z
      .int()
      .nullable()
      .describe('Number of tests in which the rule fires; null if the service does not have the tests.'),
  })
  .meta({ id: 'Rule' });

export const RULES = z
  .strictObject({
    digest: DIGEST,
    deployment: z.int().nullable().describe('Number of the deployment; null for the policies folder.'),
    rules: z.array(RULE),
    lists: z.array(z.strictObject({ name: z.string(), entries: z.array(z.union([z.string(), z.number()])) })),
    budgets: z.array(
      z.strictObject({
        id: z.string(),
        scope: z.array(z.string()),
        per: z.string(),
        timezone: z.string(),
        unit: z.enum(['usd', 'tokens']),
        limit: z.string().describe('Limit in nano-dollars or tokens.'),
        on_exceed: z.enum(['record', 'block']),
      }),
    ),
    detectors: z.array(
      z.strictObject({ key: z.string(), plugin: z.string(), version: z.string(), codes: z.array(z.string()) }),
    ),
  })
  .meta({ id: 'Rules' });
export type RulesBody = z.infer<typeof RULES>;

const EXPLAINED_RULE = z
  .strictObject({
    id: z.string(),
    stage: STAGE,
    tool_call: z.int().nullable().describe('For stage `tool`: index of the tool call in the answer, from 0.'),
    outcome: z.enum(['matched', 'not_matched', 'unknown']),
    action: z.string().nullable(),
    mode: z.enum(['enforce', 'monitor']),
    exception: z.string().nullable(),
    path: z.string().nullable(),
    line: LINE.nullable(),
    conditions: z.array(
      z.strictObject({
        line: LINE.nullable(),
        text: z.string(),
        result: z.boolean().nullable().describe('Result of the condition; null if it is unknown.'),
        fact: z.string().nullable(),
        value_shown: z
          .string()
          .nullable()
          .describe('Value of the fact; for texts, only type and size. Null if the fact was absent.'),
      }),
    ),
  })
  .meta({ id: 'ExplainedRule' });

export const EXPLAINED = z
  .strictObject({
    reproduced: z
      .boolean()
      .nullable()
      .describe('Whether evaluating the call again leads to the same decision; null if this is unknown.'),
    differs: z.array(z.string()).describe('Differences between the recomputed and the recorded decision.'),
    missing: z
      .array(z.string())
      .describe('Reasons why `reproduced` is unknown: facts that were not stored, or an unavailable policy.'),
    decision: z
      .enum([...DECISION_ACTIONS, 'unavailable'])
      .nullable()
      .describe('The decision; null if no rule judged the event.'),
    deciding_rule: z.string().nullable(),
    digest: DIGEST.nullable().describe('Digest of the policy that made the decision.'),
    deployment: z
      .int()
      .nullable()
      .describe(
        'Number of the deployment with the policy that made the decision; null if the policy was in the policies folder, or was not found.',
      ),
    rules: z.array(EXPLAINED_RULE).describe('The rules; those that fired come first.'),
  })
  .meta({ id: 'Explanation' });
export type ExplainedBody = z.infer<typeof EXPLAINED>;

export const CAPTURED = z
  .strictObject({
    path: z.string().describe('Suggested path in a policies folder.'),
    yaml: z
      .string()
      .describe('Text of the test file, which contains the structure of the call, but no text written by users.'),
    passes: z.boolean().describe('Whether the test passes with the policy that made the decision.'),
    missing: z
      .array(z.string())
      .describe('Fields that the test does not reproduce, because their input was not stored.'),
  })
  .meta({ id: 'CapturedTest' });
export type CapturedBody = z.infer<typeof CAPTURED>;

const ANY = z.unknown();
const RULE_CHANGE = z.strictObject({
  id: z.string(),
  change: z.enum(['added', 'removed', 'changed']),
  effect: z
    .enum(['stricter', 'weaker', 'same', 'unknown'])
    .describe(
      'Effect of the change, found by evaluating requests with both policies. `stricter` or `weaker`: the new policy refuses, masks or flags more or less; `same`: neither; `unknown`: there are too many combinations to try all.',
    ),
  fields: z.array(z.strictObject({ path: z.string(), before: ANY, after: ANY })),
  witness: z
    .array(
      z.strictObject({
        facts: z.record(z.string(), ANY),
        when: z.string().describe('Description of the request in words.'),
        before: z.string(),
        after: z.string(),
      }),
    )
    .describe('Requests on which the two policies decide differently because of this rule.'),
});

const SIDE = z.strictObject({ digest: DIGEST, deployment: z.int().nullable(), environment: z.string() });
export const DIFF = z
  .strictObject({
    from: SIDE,
    to: SIDE,
    rules: z.array(RULE_CHANGE),
    others: z.array(POLICY_CHANGE).describe('Lists, exceptions, budgets, detectors and settings.'),
    complete: z
      .boolean()
      .describe('False if some rules have too many combinations, so that only a part of them was tried.'),
  })
  .meta({ id: 'PolicyDiff' });
export type DiffBody = z.infer<typeof DIFF>;

const LISTED_EXCEPTION = EXCEPTION.omit({ at: true }).extend({
  when: z.string().nullable().describe('Condition of the exception; null if it applies to every call.'),
  path: z.string().nullable(),
  line: LINE.nullable(),
  hits_30d: z
    .int()
    .nullable()
    .describe(
      'Number of requests, answers and tool calls of the last 30 days to which the exception applied; null without `events:read`.',
    ),
  kept_30d: z
    .int()
    .nullable()
    .describe(
      'Those of `hits_30d` that would have been refused or redacted without the exception; null without `events:read`.',
    ),
  last_hit: z
    .string()
    .nullable()
    .describe(
      'Time when the exception last applied, however long ago; null if it never did, or without `events:read`.',
    ),
});
export const EXCEPTIONS = z
  .strictObject({ digest: DIGEST, deployment: z.int().nullable(), data: z.array(LISTED_EXCEPTION) })
  .meta({ id: 'Exceptions' });
export type ExceptionsBody = z.infer<typeof EXCEPTIONS>;
/** The data on a policy's exceptions that is derived from its texts alone. */
export interface ExceptionsOfPolicy extends Omit<ExceptionsBody, 'data'> {
  readonly data: readonly Omit<ExceptionsBody['data'][number], 'hits_30d' | 'kept_30d' | 'last_hit'>[];
}

const MESSAGE = z.looseObject({ role: z.string().max(100), content: z.unknown() });
export const EVALUATE_BODY = z
  .strictObject({
    deployment: z
      .int()
      .min(0)
      .optional()
      .describe(
        'Number of the deployment whose policy judges the call; 0 for the policies folder. Default: the active policy.',
      ),
    bundle: BUNDLE_SCHEMA.optional().describe(
      'Bundle whose policy judges the call, without being deployed. Cannot be combined with `deployment`.',
    ),
    stage: STAGE.optional().describe(
      'Stage to evaluate. Default: `tool` if the body contains `tool`, otherwise `pre`.',
    ),
    text: z.string().max(MAX_TEXT).optional().describe("The user's message, or at stage `post` the answer."),
    messages: z.array(MESSAGE).min(1).max(MAX_MESSAGES).optional().describe('A conversation; only at stage `pre`.'),
    tool: z
      .strictObject({ name: z.string().min(1).max(200), arguments: z.unknown().optional() })
      .optional()
      .describe('A tool call.'),
    model: z.string().min(1).max(200).optional(),
    provider: z.string().min(1).max(100).optional(),
    app: z.string().min(1).max(200).optional().describe('Name of the app that the call is attributed to.'),
    metadata: z.record(z.string(), z.unknown()).optional(),
    at: z.iso.datetime({ offset: true }).optional().describe('Time of the call. Default: now.'),
    unavailable: z.array(z.string().max(100)).max(50).optional().describe('Detectors to simulate as unavailable.'),
    as_test: z.boolean().optional().describe('Also return the call and its decision as a policy test.'),
  })
  .refine((body) => [body.text, body.messages, body.tool].filter((one) => one !== undefined).length === 1, {
    message: 'exactly one of text, messages and tool is required',
  })
  .refine(({ tool, stage }) => tool === undefined || stage === undefined || stage === 'tool', {
    path: ['stage'],
    message: 'a tool call is judged at stage tool',
  })
  .refine(({ tool, stage }) => tool !== undefined || stage !== 'tool', {
    path: ['tool'],
    message: 'stage tool needs a tool call',
  })
  .refine(({ messages, stage }) => messages === undefined || stage === undefined || stage === 'pre', {
    path: ['stage'],
    message: 'messages are judged at stage pre',
  })
  .refine(({ deployment, bundle }) => deployment === undefined || bundle === undefined, {
    path: ['bundle'],
    message: 'cannot be combined with deployment',
  })
  .meta({ id: 'EvaluateBody' });
export type EvaluateBody = z.infer<typeof EVALUATE_BODY>;

export const EVALUATED = z
  .strictObject({
    decision: z.enum([...DECISION_ACTIONS, 'unavailable']),
    reason: z.string().nullable(),
    violations: z.array(
      z.strictObject({
        rule: z.string(),
        policy: z.string(),
        category: z.string(),
        severity: z.string(),
        action: z.string(),
        enforced: z.boolean(),
        message: z.string(),
      }),
    ),
    redactions: z.array(z.strictObject({ type: z.string(), count: z.int() })),
    masks: z.array(
      z.strictObject({
        path: z.string(),
        start: z.int(),
        end: z.int(),
        entity: z.string(),
        detector: z.string(),
        n: z.int().nullable(),
      }),
    ),
    text: z
      .string()
      .nullable()
      .describe(
        'The submitted `text` as it would be forwarded. If the call is refused: the text with all findings masked.',
      ),
    texts: z.array(z.strictObject({ path: z.string(), text: z.string() })),
    facts: z.record(z.string(), z.unknown()).describe('The facts as they would be recorded.'),
    missing: z.array(z.string()).describe('Required detectors that did not answer.'),
    rules: z.array(EXPLAINED_RULE),
    digest: DIGEST,
    deployment: z.int().nullable(),
    ms: z.number().describe('CPU time of the evaluation, in milliseconds.'),
    test: z
      .strictObject({
        path: z.string().describe('Suggested path in a policies folder.'),
        yaml: z.string().describe('Text of the test file, which contains the call as it was sent.'),
        passes: z.boolean().describe('Whether the test passes with the policy that judged the call.'),
        missing: z
          .array(z.string())
          .describe(
            'Problems of the test file, and expected fields that differ when the test runs; empty if the test passes.',
          ),
      })
      .nullable()
      .describe('The call as a policy test; null if the request does not contain `as_test`.'),
  })
  .meta({ id: 'Evaluation' });
export type EvaluatedBody = z.infer<typeof EVALUATED>;
