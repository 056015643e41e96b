import { DECISION_ACTIONS } from '../../core/model/actions.js';
import { z } from 'zod';
import { UNREAD_REASONS } from '../../core/model/call.js';
import { ENVIRONMENTS } from '../../core/model/compiled-policy.js';
import { STAGES } from '../../core/model/fact.js';
import { timeOf } from '../../core/policy/operator-values.js';
import { instantMs } from '../../core/policy/policy-format.js';
import { DETECTOR_MODES } from './readings.js';

const REASONS = ['content_policy_violation', 'tool_use_blocked'] as const;
const MESSAGE_ROLES = ['system', 'user', 'assistant', 'tool'] as const;

/** Tests run on laptops and on every replica, so an instant has a time zone. */
const instant = z
  .string()
  .refine(
    (text) => instantMs(text) !== undefined,
    'expected an instant with its time zone, such as 2026-11-21T09:00:00Z',
  )
  .transform((text) => instantMs(text) ?? Number.NaN);
/** A date includes the whole day, in UTC. */
const until = z
  .string()
  .refine(
    (text) => timeOf(text) !== undefined,
    'expected a date such as 2026-12-31, or an instant with its time zone such as 2026-12-31T12:00:00Z',
  )
  .transform((text) => (timeOf(text) ?? Number.NaN) + (text.length === 10 ? 86_400_000 : 0));

const detectorMode = z
  .enum(DETECTOR_MODES)
  .describe(
    'Detectors that scan the texts. `local` (default): every detector that needs no service. `stub`: annotations replace the findings. `live`: also remote detectors, and only annotated values may be found.',
  );

const names = z.array(z.string());
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const toolCall = z.strictObject({ id: z.string().optional(), name: z.string(), args: z.json().optional() });

const message = z.strictObject({
  role: z.enum(MESSAGE_ROLES),
  content: z.string().optional(),
  /** On an assistant message: the tool calls of the model. */
  tool_calls: z.array(toolCall).optional(),
  /** On a tool message: name and id of the call that it answers. */
  name: z.string().optional(),
  call_id: z.string().optional(),
});

const redactions = z.array(z.strictObject({ type: z.string(), count: z.int().positive() }));

export const expectation = z.strictObject({
  action: z.enum(DECISION_ACTIONS),
  /** The exact set of rules that fired and are enforced. One of `rules`, `rules_include`, `rules_exclude` is required. */
  rules: names.optional(),
  rules_include: names.optional(),
  rules_exclude: names.optional(),
  /** The exact sets of rules that fired but are not enforced, by their action. */
  would_block: names.optional(),
  would_redact: names.optional(),
  would_flag: names.optional(),
  exceptions: names.optional(),
  reason: z.enum(REASONS).optional(),
  /** The canned answer that clients of the proxy get; null: no canned answer, so that a block is an error. */
  answer: z.string().nullable().optional(),
  /** The text that is sent; for `messages`, a list of their texts. */
  text: z.union([z.string(), names]).optional(),
  unavailable: z.boolean().optional(),
  redactions: redactions.optional(),
});

const ago = z
  .string()
  .regex(/^[0-9]{1,6}[smh]$/, 'expected a number of seconds, minutes or hours, such as 90s, 4m or 2h');

/** An earlier event in the session of the call; events are listed oldest first. */
const sessionStep = z.union([
  z.strictObject({ tool_call: z.string(), ago: ago.optional() }),
  z.strictObject({ tool_result: z.string() }),
  z.strictObject({ user: z.string() }),
]);

const given = {
  stage: z.enum(STAGES).optional(),
  provider: z.string().optional(),
  model: z.strictObject({ name: z.string() }).optional(),
  app: z.strictObject({ id: z.string().optional(), name: z.string().optional() }).optional(),
  key: z.strictObject({ id: z.string().optional(), name: z.string().optional() }).optional(),
  session: z.strictObject({ id: z.string(), steps: z.array(sessionStep).min(1).optional() }).optional(),
  metadata: z.record(z.string(), z.json()).optional(),
  facts: z.record(z.string(), z.json()).optional(),
  unavailable: names.optional(),
  monitor_mode: z.boolean().optional(),
};

/** Content of the call that is not maskable text: judged by the policy's `unread`, `media` and `unmaskable`. */
const contents = z.strictObject({
  /** Whether the call is sent to a route that takes prompts. Default true. */
  governed: z.boolean().optional(),
  unread: z
    .array(z.strictObject({ why: z.enum(UNREAD_REASONS), path: z.string().optional(), bytes: z.int().optional() }))
    .optional(),
  media: z
    .array(z.strictObject({ type: z.string(), path: z.string().optional(), bytes: z.int().optional() }))
    .optional(),
  /** Texts of files in the call: judged, but never masked. */
  documents: z.array(z.strictObject({ text: z.string(), path: z.string().optional() })).optional(),
  /** Texts that a provider has signed: judged, but never masked. */
  signed: z.array(z.strictObject({ text: z.string(), path: z.string().optional() })).optional(),
});

export const testCase = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9._-]*$/, 'expected lower-case letters, digits, dots and dashes'),
  title: z.string().optional(),
  environments: z.array(z.enum(ENVIRONMENTS)).min(1).optional(),
  clock: instant.optional(),
  detectors: detectorMode.optional(),
  ...given,
  text: z.string().optional(),
  messages: z.array(message).min(1).optional(),
  contents: contents.optional(),
  tool: toolCall.optional(),
  settings: z
    .record(z.string(), z.json())
    .optional()
    .describe(
      'Settings that the policy must have, such as `budgets.team.limit.usd: 50`. With `settings`, no call is judged.',
    ),
  skip: z.boolean().optional(),
  because: z.string().min(1).optional(),
  until: until.optional(),
  expect: expectation.optional(),
});

export const suiteHead = z.strictObject({
  apiVersion: z.literal('weir/v1'),
  kind: z.literal('PolicyTest'),
  title: z.string().optional(),
  environments: z.array(z.enum(ENVIRONMENTS)).min(1),
  clock: instant.optional(),
  detectors: detectorMode.optional(),
  defaults: z.strictObject(given).optional(),
  tests: z.array(z.record(z.string(), z.json())),
});

/** The head with unchecked tests: each test is checked separately, after its table cells are substituted. */
export const readableHead = suiteHead.extend({ tests: z.array(z.record(z.string(), z.unknown())) });

export const testTable = z.strictObject({
  columns: z.array(z.string().regex(/^[A-Za-z_]\w*$/, 'expected a name of letters, digits and underscores')).min(1),
  rows: z.array(z.array(z.union([scalar, z.array(scalar), redactions]))).min(1),
});

export type Expectation = z.infer<typeof expectation>;
export type TestCaseFields = z.infer<typeof testCase>;
export type SuiteHead = z.infer<typeof readableHead>;
export type TestMessage = z.infer<typeof message>;
export type TestSessionStep = z.infer<typeof sessionStep>;
export type TestToolCall = z.infer<typeof toolCall>;
/** Columns of a table with these names are expectations, not inputs. */
export const EXPECTATION_COLUMNS: ReadonlySet<string> = new Set(
  Object.keys(expectation.shape).filter((key) => key !== 'text'),
);
