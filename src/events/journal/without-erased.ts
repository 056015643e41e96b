import type { TenantSql } from '../../database/index.js';
import type { AppendRequest, NewEvent } from '../event.js';

/**
 * The end of a call in the form that may be stored. If a person was erased while the end waited in the journal of an unavailable server,
 * the end is stored in the form in which the erasure would have left it.
 *
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function withoutErased(sql: TenantSql, request: AppendRequest): Promise<AppendRequest> {
  const { accountId, parentId } = request.event;
  if (parentId === undefined) return request;
  const [call] = await sql
    .forAccounts(accountId)
    .query<{ erased: boolean }>(
      `SELECT (erased_by IS NOT NULL) AS erased FROM events WHERE account_id = $1::uuid AND id = $2::text::uuid`,
      [accountId, parentId],
    );
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
