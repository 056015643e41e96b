import { z } from 'zod';
import { TOKEN } from '../access/index.js';
import { ENVIRONMENTS, PROVIDER_STYLES, TOKEN_SCOPES } from '../core/index.js';
import { SUBSCRIPTION } from '../subscription/index.js';

/** The features of the service, for clients that support several versions. */
export const FEATURES = [
  'apps.limits',
  'apps.reception',
  'attention',
  'audit.filters',
  'budgets.series',
  'events.calls',
  'events.count',
  'events.explain',
  'events.facets',
  'events.mark_filter',
  'events.outcome',
  'events.test',
  'exports',
  'exports.schedules',
  'exports.try_bucket',
  'marks',
  'policies.diff',
  'policies.evaluate',
  'policies.exceptions',
  'policies.rule_stats',
  'policies.rules',
  'sessions',
  'stats',
  'views',
] as const;

const DAYS = z.int().nullable();
const CONTENT = z.strictObject({
  stored: z
    .enum(['redacted', 'full', 'none'])
    .describe('Form in which the texts of new calls are stored: with findings masked, unchanged, or not at all.'),
  path: z
    .string()
    .nullable()
    .describe('File of the policy that sets it; null if no file does, or if the caller lacks `policy:read`.'),
  line: z.int().nullable().describe('Line in that file.'),
});
const RETENTION = z.strictObject({
  environment: z.enum(ENVIRONMENTS),
  content: CONTENT.nullable().describe(
    'Storing of texts in the active policy; null if this process cannot run the active policy and refuses calls.',
  ),
  content_days: DAYS.describe(
    'Number of days for which texts of calls are kept; null if they are kept as long as the rest of the event.',
  ),
  records_days: DAYS.describe('Number of days for which the rest of an event is kept; null if it is kept forever.'),
  holds: z
    .array(z.strictObject({ id: z.string(), because: z.string(), until: z.iso.datetime() }))
    .describe('Active legal holds, which extend the retention of matching calls.'),
  held_events: z.int().describe('Number of events that are kept only because of legal holds.'),
});

export const ME = z
  .strictObject({
    person: z
      .strictObject({ id: z.uuid(), email: z.string() })
      .nullable()
      .describe('The person who has signed in; null for a management token.'),
    token: z
      .strictObject({ id: z.string(), name: z.string() })
      .nullable()
      .describe('The management token of the request; null for a session.'),
    account: z.strictObject({ id: z.uuid(), email: z.string() }),
    role: z.enum(['owner']).nullable().describe("The person's role in the account; null for a management token."),
    scopes: z.array(z.enum(TOKEN_SCOPES)),
    environments: z.array(z.enum(ENVIRONMENTS)).describe('Environments that the caller may see.'),
    subscription: SUBSCRIPTION.nullable(),
    retention: z
      .array(RETENTION)
      .describe('Retention of events in the active policies, for each environment that the caller may read.'),
    server: z.strictObject({
      version: z.string(),
      base_url: z.string().describe('Base URL of the service.'),
      billing: z.enum(['on', 'off']),
      providers: z.array(z.strictObject({ id: z.string(), style: z.enum(PROVIDER_STYLES) })),
      features: z.array(z.string()).describe('Features that were added after the first version.'),
    }),
  })
  .meta({ id: 'Me' });

export const ACCOUNT = z
  .strictObject({
    account: z.strictObject({
      id: z.uuid(),
      email: z.string(),
      email_verified: z.boolean(),
      subscription: SUBSCRIPTION.shape.state,
    }),
    token: TOKEN.nullable().describe('The management token of the request; null for a session.'),
    person: z
      .strictObject({ id: z.uuid() })
      .nullable()
      .describe('The person who has signed in; null for a management token.'),
    server: z.strictObject({ version: z.string() }),
  })
  .meta({ id: 'Account' });
