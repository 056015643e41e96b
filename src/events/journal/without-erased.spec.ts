import { newEvent, violationEvent } from '../../../test/support/events.js';
import type { TenantSql } from '../../database/index.js';
import { withoutErased } from './without-erased.js';

const CALL_ID = '0192f000-0000-7000-8000-000000000001';
const PERSON = 'zwieback';

/** A log in which the call of every end was erased, or none was. */
const log = (erased: boolean) => ({ forAccounts: () => ({ query: async () => [{ erased }] }) }) as unknown as TenantSql;

const end = newEvent({
  ...{ type: 'ai.response', parentId: CALL_ID, requestId: `r-${PERSON}`, sessionId: `s-${PERSON}`, traceId: PERSON },
  ...{ metadata: `{"user_id":"${PERSON}"}`, payload: `{"output":"${PERSON}"}`, facts: `{"who":"${PERSON}"}` },
});
const request = {
  event: end,
  children: [{ ...violationEvent(end, 'pii.flag'), requestId: `r-${PERSON}` }],
  idempotency: { fingerprint: Buffer.alloc(32) },
};

describe('the record of the end of a call that waited in the journal', () => {
  it('contains no data from outside Weir if the call was erased', async () => {
    const stored = await withoutErased(log(true), request);
    expect(JSON.stringify(stored)).not.toContain(PERSON);
    expect(stored.event).toMatchObject({ id: end.id, parentId: CALL_ID, requestId: CALL_ID, capture: 'none' });
    expect(stored.children.map(({ violations }) => violations[0]?.rule)).toEqual(['pii.flag']);
  });

  it('is stored unchanged if the call was not erased', async () => {
    expect(await withoutErased(log(false), request)).toBe(request);
  });
});
