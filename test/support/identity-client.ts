/**
 * Requests of people, as a browser or a program sends them: forms, JSON and cookies; and the mails that the service writes to files.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OutboxWorker } from '../../src/identity/mail/outbox-worker.js';
import type { Answer } from './rest-client.js';
import type { TestApp } from './test-app.js';

/** `json` is undefined for a page. */
export interface IdentityAnswer extends Answer {
  /** The session cookie that the answer sets, as a browser sends it back. */
  readonly cookie: string | undefined;
}

export interface WrittenMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The first link with a token in the text. */
  readonly link: string;
  readonly token: string;
}

/** For tests that sign up and sign in more often than the rate limits allow. */
export const WITHOUT_LIMITS = { env: { WEIR_RATE_AUTH: 'off' } } as const;

export const PASSWORD = 'correct horse ' + 'battery staple';

/** An HTTP client that sends JSON like a program, and forms with the headers of a browser. */
export function identityClient(current: () => TestApp) {
  async function send(method: string, path: string, headers: Record<string, string>, body?: string) {
    const response = await fetch(`${current().url}${path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const cookie = response.headers.get('set-cookie')?.split(';', 1)[0];
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const answer: IdentityAnswer = {
      status: response.status,
      headers: response.headers,
      text,
      cookie,
      json: isJson ? JSON.parse(text) : undefined,
    };
    return answer;
  }
  const sameOrigin = { 'sec-fetch-site': 'same-origin' };
  const withCookie = (cookie: string | undefined) => (cookie === undefined ? {} : { cookie, ...sameOrigin });

  const client = {
    send,
    get: (path: string, cookie?: string) => send('GET', path, withCookie(cookie)),
    post: (path: string, body: object, cookie?: string, headers: Record<string, string> = {}) =>
      send(
        'POST',
        path,
        { 'content-type': 'application/json', ...withCookie(cookie), ...headers },
        JSON.stringify(body),
      ),
    form: (path: string, fields: Record<string, string>, cookie?: string) =>
      send(
        'POST',
        path,
        { 'content-type': 'application/x-www-form-urlencoded', ...sameOrigin, ...withCookie(cookie) },
        new URLSearchParams(fields).toString(),
      ),
    /** Waits until nothing in the outbox is due. */
    async settle(app: TestApp = current()): Promise<void> {
      const worker = app.weir.app.get(OutboxWorker);
      await worker.settle();
      worker.poke();
      await worker.settle();
    },
    /** Waits for the outbox; returns all mails that this service has written, oldest first. */
    async allMails(): Promise<WrittenMail[]> {
      await client.settle();
      const directory = join(current().dataDir, 'outbox');
      if (!existsSync(directory)) return [];
      const files = readdirSync(directory).sort();
      return files.map((file) => readMail(readFileSync(join(directory, file), 'utf8')));
    },
    /** The mails to an address, oldest first. */
    async mails(to: string): Promise<WrittenMail[]> {
      return (await client.allMails()).filter((mail) => mail.to.toLowerCase() === to.toLowerCase());
    },
    async lastMail(to: string): Promise<WrittenMail> {
      const mail = (await client.mails(to)).at(-1);
      if (mail === undefined) throw new Error('no mail was written');
      return mail;
    },
    signUp: (email: string, password = PASSWORD) => client.post('/auth/sign-up', { email, password }),
    verify: (token: string) => client.form('/auth/verify', { token }),
    async login(email: string, password = PASSWORD): Promise<string> {
      const { cookie, status } = await client.post('/auth/login', { email, password });
      if (cookie === undefined) throw new Error(`signing in was answered ${status}`);
      return cookie;
    },
    /** Signs a person up, confirms the address and signs in. Returns the session cookie. */
    async member(email: string, password = PASSWORD): Promise<string> {
      await client.signUp(email, password);
      await client.verify((await client.lastMail(email)).token);
      return client.login(email, password);
    },
  };
  return client;
}

/** Parses the file of a plain-text mail. */
export function readMail(source: string): WrittenMail {
  const [head = '', ...rest] = source.split(/\r?\n\r?\n/);
  const header = (name: string): string =>
    new RegExp(`^${name}: (.*(?:\\r?\\n[ \\t].*)*)`, 'im').exec(head)?.[1]?.replace(/\r?\n[ \t]/g, ' ') ?? '';
  const body = rest.join('\n\n');
  const text = /quoted-printable/i.test(header('content-transfer-encoding'))
    ? body.replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    : body;
  const link = /https?:\/\/\S+token=\S+/.exec(text)?.[0] ?? '';
  return {
    to: header('to').replace(/^.*<|>$/g, ''),
    subject: header('subject'),
    text,
    link,
    token: link.split('token=')[1] ?? '',
  };
}
