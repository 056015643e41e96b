import type { ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { lastValueFrom, of } from 'rxjs';
import type { SqlTransaction, TenantSql } from '../database/index.js';
import { noteActor } from './actor.js';
import { AdminAudit } from './admin-audit.js';
import { Records, RecordsInterceptor } from './records.js';

class Routes {
  @Records('key.created')
  strict(): void {}

  @Records('key.created', { orNothingBecause: 'a second click changes nothing' })
  lenient(): void {}
}

const transaction: SqlTransaction = { query: () => Promise.resolve([]), enter: () => Promise.resolve() };
const sql: TenantSql = {
  forAccounts: () => ({ ...transaction, transaction: (work) => work(transaction) }),
  forDuty: () => sql.forAccounts(),
};

async function run(handler: () => void, act: (request: FastifyRequest) => Promise<void>): Promise<unknown> {
  const request = { ip: '192.0.2.1', headers: { 'user-agent': 'curl/8\u0007' } } as FastifyRequest;
  await act(request);
  const context = { getHandler: () => handler, switchToHttp: () => ({ getRequest: () => request }) };
  return lastValueFrom(
    new RecordsInterceptor().intercept(context as unknown as ExecutionContext, { handle: () => of('done') }),
  );
}

describe('a handler that declares an action', () => {
  const { strict, lenient } = Routes.prototype;
  const record = (action: 'key.created' | 'key.deleted') => async (request: FastifyRequest) => {
    const actor = noteActor(request, 'token', 'abc');
    expect(actor).toEqual({ kind: 'token', id: 'abc', address: '192.0.2.1', userAgent: 'curl/8' });
    await new AdminAudit(sql, () => 0).record(transaction, { accountId: 'a', actor, action, subject: 's' });
  };

  it('answers when it has recorded the action', async () => {
    expect(await run(strict, record('key.created'))).toBe('done');
  });

  it('fails when it recorded nothing or another action', async () => {
    await expect(run(strict, async () => undefined)).rejects.toThrow(
      'none of these admin actions was recorded: key.created',
    );
    await expect(run(strict, record('key.deleted'))).rejects.toThrow(
      'none of these admin actions was recorded: key.created',
    );
  });

  it('may record nothing when it declares a reason', async () => {
    expect(await run(lenient, async () => undefined)).toBe('done');
  });
});
