import { z } from 'zod';
import { ACTOR_KINDS, ADMIN_ACTIONS, type AdminActionName } from '../../admin-audit/index.js';
import { parameter } from '../../http/index.js';

/** The query and the answer of `GET /v1/audit`. */
export const AUDIT_PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 200;
const MAX_SUBJECT = 200;
const ACTIONS = Object.keys(ADMIN_ACTIONS) as AdminActionName[];

export const AUDIT_FORMATS = ['csv', 'jsonl'] as const;
export type AuditFormat = (typeof AUDIT_FORMATS)[number];

export const AUDIT_QUERY = {
  action: parameter.listOf(parameter.oneOf(ACTIONS, 'Only entries with these actions, separated by commas.')),
  subject: parameter.listOf(parameter.text('Only entries with these subjects, separated by commas.', MAX_SUBJECT)),
  actor: parameter.listOf(
    parameter.text(
      `Only changes by these actors, separated by commas: ids of people, public ids of tokens, or ${ACTOR_KINDS.join(', ')}.`,
      MAX_SUBJECT,
    ),
  ),
  from: parameter.instant('Only entries at this time or later (RFC 3339).'),
  to: parameter.instant('Only entries before this time (RFC 3339).'),
  limit: parameter.integer(1, MAX_PAGE_SIZE, `Entries per page; ${AUDIT_PAGE_SIZE} when absent.`),
  cursor: parameter.uuid(
    '`next_cursor` of the previous page. With `format`, instead the `id` of an entry: only older entries are returned.',
    'must be a `next_cursor`',
  ),
  format: parameter.oneOf(
    AUDIT_FORMATS,
    'Return all matching entries as one stream instead of a page: CSV, or one JSON entry per line. Cannot be combined with `limit`.',
  ),
};

export const AUDIT_ENTRY = z
  .strictObject({
    id: z.uuid(),
    at: z.string().describe('RFC 3339, UTC.'),
    action: z.string().describe(Object.keys(ADMIN_ACTIONS).join(', ')),
    actor: z.strictObject({
      kind: z.enum(ACTOR_KINDS),
      id: z.string().nullable().describe("A person's id, or a management token's public id."),
      name: z
        .string()
        .nullable()
        .describe(
          'E-mail address of the person, or name of the token; null for other actors, and if the person or token no longer exists.',
        ),
    }),
    subject: z.string().nullable().describe('Id of the changed object; for policies, the environment.'),
    subject_name: z
      .string()
      .nullable()
      .describe(
        'Current name of the app, key, token or person; if it no longer exists, the name that it had before. Null for other objects.',
      ),
    details: z
      .record(z.string(), z.unknown())
      .describe('Details such as names, environments and dates; they never contain a secret.'),
    from: z.strictObject({ address: z.string().nullable(), user_agent: z.string().nullable() }),
  })
  .meta({ id: 'AuditEntry' });
export const AUDIT_PAGE = z
  .strictObject({ data: z.array(AUDIT_ENTRY), next_cursor: z.string().nullable() })
  .meta({ id: 'AuditPage' });
