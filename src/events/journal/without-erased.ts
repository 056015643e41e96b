import type { TenantSql } from '../../database/index.js';
import { notArchived } from '../archive/catalogue.js';
import type { AppendRequest, NewEvent } from '../event.js';
import { timeOfEventId } from '../event-id.js';

/**
 * Whether a call was erased. An archived call cannot be read by a statement: if the account had an erasure since the call began, the call
 * may be an erased one.
 */
const ERASED = `
SELECT coalesce(
  (SELECT e.erased_by IS NOT NULL FROM events e WHERE e.account_id = $1::uuid AND e.id = $2::text::uuid),
  NOT (${notArchived('$1::uuid', '$2::text::uuid')}) AND EXISTS (
    SELECT 1 FROM erasures x WHERE x.account_id = $1::uuid AND NOT x.dry_run
      AND coalesce(x.ended_at, now()) >= $3::timestamptz)) AS erased`;

/**
 * The end of a call in the form that may be stored. If a person was erased while the end waited in the journal of an unavailable server,
 * the end is stored in the form in which the erasure would have left it.
 *
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function withoutErased(sql: TenantSql, request: AppendRequest): Promise<AppendRequest> {
  const { accountId, parentId } = request.event;
  if (parentId === undefined) return request;
  const begunAt = new Date(timeOfEventId(parentId)).toISOString();
  const [call] = await sql.forAccounts(accountId).query<{ erased: boolean }>(ERASED, [accountId, parentId, begunAt]);
  if (call?.erased !== true) return request;
  const { session: _session, ...kept } = request;
  const empty = (event: NewEvent): NewEvent => emptied(event, parentId);
  return { ...kept, event: empty(request.event), children: request.children.map(empty) };
}

/** @param callId replaces the client's id of the call, because that may name a person */
function emptied(event: NewEvent, callId: string): NewEvent {
  const {
    payload: _payload,
    metadata: _metadata,
    sessionId: _session,
    traceId: _trace,
    facts: _facts,
    marks: _marks,
    ...kept
  } = event;
  return {
    ...kept,
    capture: 'none',
    requestId: callId,
    violations: event.violations.map(({ locations: _places, ...violation }) => violation),
  };
}
