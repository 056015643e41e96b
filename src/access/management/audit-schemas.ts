import { z } from 'zod';
import { ADMIN_ACTIONS, type AdminActionName } from '../../admin-audit/index.js';
import { parameter } from '../../http/index.js';

/** What `GET /v1/audit` takes and answers. */
export const AUDIT_PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 200;
const MAX_SUBJECT = 200;
const ACTIONS = Object.keys(ADMIN_ACTIONS) as AdminActionName[];

export const AUDIT_QUERY = {
  action: parameter.oneOf(ACTIONS, 'Only this action.'),
  subject: parameter.text('Only what was done to this.', MAX_SUBJECT),
  limit: parameter.integer(1, MAX_PAGE_SIZE, `Entries per page; ${AUDIT_PAGE_SIZE} when absent.`),
  cursor: parameter.uuid('`next_cursor` of the page before.', 'must be a `next_cursor`'),
};

export const AUDIT_ENTRY = z
  .strictObject({
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
  })
  .meta({ id: 'AuditEntry' });
export const AUDIT_PAGE = z
  .strictObject({ data: z.array(AUDIT_ENTRY), next_cursor: z.string().nullable() })
  .meta({ id: 'AuditPage' });
