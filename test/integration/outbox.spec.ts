import { once } from 'node:events';
import { SMTPServer } from 'smtp-server';
import { Database } from '../../src/database/index.js';
import { identityClient, PASSWORD, readMail } from '../support/identity-client.js';
import { portOf } from '../support/ports.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

/** A mail server that accepts mails while `isUp`, and rejects them temporarily otherwise. */
class TestMailServer {
  readonly sources: string[] = [];
  readonly recipients: string[][] = [];
  readonly senders: string[] = [];
  isUp = true;
  attempts = 0;

  private readonly server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onMailFrom: (address, _session, done) => {
      this.attempts += 1;
      this.senders.push(address.address);
      done(this.isUp ? null : Object.assign(new Error('come again later'), { responseCode: 451 }));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        this.sources.push(Buffer.concat(chunks).toString());
        this.recipients.push(session.envelope.rcptTo.map(({ address }) => address));
        done(null);
      });
    },
  });

  async start(): Promise<string> {
    const listening = this.server.listen(0, '127.0.0.1');
    await once(listening, 'listening');
    return `smtp://127.0.0.1:${portOf(listening)}`;
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}

describe('Mail', () => {
  const mail = new TestMailServer();
  let app: TestApp;
  const client = identityClient(() => app);
  const sql = () => app.weir.app.get(Database).sql;
  const rows = (email: string) =>
    sql().query<{ outcome: string | null; attempts: number; sent: boolean; ended: boolean; data: string }>(
      `SELECT outcome, attempts, sent_at IS NOT NULL AS sent, ended_at IS NOT NULL AS ended, data::text AS data
       FROM mail_outbox WHERE email_key = $1 ORDER BY id`,
      [email],
    );
  beforeAll(async () => {
    app = await startTestApp({ env: { SMTP_URL: await mail.start(), WEIR_MAIL_FROM: 'weir@mail.example' } });
  }, 60_000);
  afterAll(async () => {
    await app.close();
    await mail.stop();
  });
  beforeEach(() => {
    for (const list of [mail.sources, mail.recipients, mail.senders]) list.length = 0;
    mail.attempts = 0;
    mail.isUp = true;
  });

  it('is sent to the server of SMTP_URL as plain text with one working link', async () => {
    await client.signUp('post@example.com');
    await client.settle();
    expect(mail.recipients).toEqual([['post@example.com']]);
    expect(mail.senders).toEqual(['weir@mail.example']);
    const [source = ''] = mail.sources;
    expect(source).toMatch(/^content-type: text\/plain/im);
    expect(source).toMatch(/^auto-submitted: auto-generated/im);
    const { token, text } = readMail(source);
    expect(text.match(/https?:/g)).toHaveLength(1);
    expect((await client.verify(token)).status).toBe(303);
  });

  it('that the server rejects temporarily is retried later, and delivered once', async () => {
    const email = 'again@example.com';
    mail.isUp = false;
    await client.signUp(email);
    await client.settle();
    await client.settle();
    expect([mail.attempts, mail.sources.length]).toEqual([1, 0]);
    expect(await rows(email)).toMatchObject([{ outcome: 'verify', attempts: 1, sent: false, ended: false }]);
    expect(app.logs.join('')).toContain('a mail could not be sent; it will be retried');
    expect(app.logs.join('')).not.toContain(email);
    mail.isUp = true;
    await sql().query('UPDATE mail_outbox SET next_attempt_at = now() WHERE ended_at IS NULL');
    await client.settle();
    await client.settle();
    expect(mail.sources).toHaveLength(1);
    expect(await rows(email)).toEqual([{ outcome: 'verify', attempts: 2, sent: true, ended: true, data: '{}' }]);
    expect((await client.verify(readMail(mail.sources[0]!).token)).status).toBe(303);
  });

  it('with the link to a new address is never sent if the password was changed before, and the old address knows of it', async () => {
    const [email, next] = ['owner@example.com', 'thief@example.com'];
    await client.signUp(email);
    await client.settle();
    await client.verify(readMail(mail.sources[0]!).token);
    const cookie = await client.login(email);
    mail.isUp = false;
    await client.post('/auth/email', { new_email: next, password: PASSWORD }, cookie);
    await client.settle();
    expect(await rows(next)).toMatchObject([{ outcome: 'change', sent: false, ended: false }]);
    const passwords = { current_password: PASSWORD, new_password: `${PASSWORD} of mine` };
    expect((await client.post('/auth/password', passwords, cookie)).status).toBe(200);
    mail.isUp = true;
    await sql().query('UPDATE mail_outbox SET next_attempt_at = now() WHERE ended_at IS NULL');
    await client.settle();
    expect(await rows(next)).toMatchObject([{ outcome: 'nothing', sent: false, ended: true }]);
    expect(mail.recipients).toEqual([[email], [email], [email]]);
    const [, ...notices] = mail.sources.map((source) => readMail(source).subject);
    expect(notices.sort()).toEqual([
      expect.stringContaining('A new e-mail address was requested'),
      expect.stringContaining('Your password was changed'),
    ]);
  });

  it('of a process that died while sending is sent later by another process', async () => {
    const email = 'died@example.com';
    mail.isUp = false;
    await client.signUp(email);
    await client.settle();
    await sql().query(`UPDATE mail_outbox SET next_attempt_at = now() + interval '2 minutes' WHERE ended_at IS NULL`);
    mail.isUp = true;
    await client.settle();
    expect(mail.sources).toHaveLength(0);
    await sql().query(`UPDATE mail_outbox SET next_attempt_at = now() - interval '1 second' WHERE ended_at IS NULL`);
    await client.settle();
    expect(mail.sources).toHaveLength(1);
  });

  it('is stored in the database without a password or a link', async () => {
    await client.signUp('secret@example.com');
    await client.settle();
    const { token } = readMail(mail.sources[0]!);
    for (const table of ['mail_outbox', 'email_tokens', 'people', 'admin_actions']) {
      const [row] = await sql().query<{ text: string | null }>(
        `SELECT string_agg(row_to_json(t)::text, '') AS text FROM ${table} t`,
      );
      expect(row?.text).not.toContain(token);
    }
    expect((await rows('secret@example.com'))[0]?.data).toBe('{}');
    expect(app.logs.join('')).not.toContain(token);
  });

  it('is never addressed to more than one recipient, whatever address is entered', async () => {
    for (const email of ['a@example.com, b@example.com', 'a@example.com\r\nBcc: b@example.com', '<a@example.com>']) {
      expect((await client.signUp(email)).status).toBe(422);
    }
    await client.settle();
    expect(mail.sources).toHaveLength(0);
  });
});
