import { z } from 'zod';
import { ADMIN_ACTIONS, type AdminActionName } from '../../admin-audit/index.js';

/** What `GET /v1/audit` takes and answers. */
export const MAX_AUDIT_PAGE = 200;
const PAGE = 50;
const MAX_SUBJECT = 200;

const action = z.enum(Object.keys(ADMIN_ACTIONS) as AdminActionName[]);

export const AUDIT_QUERY = z.strictObject({
  action: action.optional(),
  subject: z.string().max(MAX_SUBJECT).optional(),
  limit: z.coerce.number().int().min(1).max(MAX_AUDIT_PAGE).default(PAGE),
  cursor: z.uuid('must be a `next_cursor`').optional(),
});

export const AUDIT_ENTRY = z.strictObject({
  id: z.uuid(),
  at: z.string().describe('RFC 3339, UTC.'),
  action: z.string().describe(Object.keys(ADMIN_ACTIONS).join(', ')),
  actor: z.strictObject({
    kind: z.enum(['person', 'token', 'operator', 'system']),
    id: z.string().nullable().describe("A person's id, or a management token's public id."),
  }),
  subject: z.string().nullable().describe('Id of what was changed; for policies the environment.'),
  details: z.record(z.string(), z.unknown()).describe('Names, environments, dates; never a secret.'),
  from: z.strictObject({ address: z.string().nullable(), user_agent: z.string().nullable() }),
});
export const AUDIT_PAGE = z.strictObject({ data: z.array(AUDIT_ENTRY), next_cursor: z.string().nullable() });
