import { Sessions } from '../../access/index.js';
import type { AdminAudit } from '../../admin-audit/index.js';
import type { SqlSession, TenantSql } from '../../database/index.js';
import { createLogger } from '../../http/index.js';
import { EmailTokens } from '../email-tokens.js';
import { MailDecisions } from './mail-decisions.js';
import type { Mail } from './mail-texts.js';
import { MailOutbox } from './outbox.js';
import { OutboxWorker } from './outbox-worker.js';

const ADDRESS = 'new@example.com';
const DUE = {
  id: 'mail',
  kind: 'change',
  address: ADDRESS,
  email_key: ADDRESS,
  person_id: 'person',
  requester: null,
  data: '{}',
  created_at_ms: Date.parse('2026-01-01T10:20:00Z'),
  attempts: 1,
  outcome: 'change',
};

/** A database with one mail that is due; with `isCancelled`, it is cancelled as soon as a process has claimed it. */
function databaseWith(isCancelled: boolean) {
  const statements: string[] = [];
  const due: object[] = [DUE];
  const session: SqlSession = {
    transaction: (work) => work({ ...session, enter: () => Promise.resolve() }),
    query: <Row>(sql: string) => {
      statements.push(sql);
      const claimed = sql.includes('SET attempts = attempts + 1') ? due.splice(0) : undefined;
      const open = sql.includes('ended_at IS NULL FOR UPDATE') && !isCancelled ? [{ one: 1 }] : [];
      return Promise.resolve((claimed ?? open) as Row[]);
    },
  };
  const sql: TenantSql = { forAccounts: () => session, forDuty: () => session };
  return { sql, statements };
}

async function mailsOf(isCancelled: boolean): Promise<{ mails: Mail[]; statements: string[] }> {
  const mails: Mail[] = [];
  const { sql, statements } = databaseWith(isCancelled);
  const outbox = new MailOutbox(sql);
  const worker = new OutboxWorker({
    sql,
    outbox,
    tokens: new EmailTokens(sql),
    decisions: new MailDecisions(outbox, {} as AdminAudit, new Sessions(sql)),
    mailer: { send: (mail) => Promise.resolve(void mails.push(mail)), close: () => undefined },
    baseUrl: 'https://weir.example',
    log: createLogger('fatal'),
    nowMs: () => 0,
  });
  worker.poke();
  await worker.settle();
  await worker.close();
  return { mails, statements };
}

describe('a mail to confirm a new address', () => {
  it('is sent with a link', async () => {
    const { mails } = await mailsOf(false);
    expect(mails).toMatchObject([{ to: ADDRESS, text: expect.stringContaining('/auth/email/confirm?token=') }]);
  });

  it('is not sent, and no link is made, if it was cancelled after a process had claimed it', async () => {
    const { mails, statements } = await mailsOf(true);
    expect(mails).toEqual([]);
    expect(statements.filter((sql) => sql.includes('INSERT INTO email_tokens'))).toEqual([]);
  });
});
