import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { errorForLog, type Logger } from '../../http/index.js';
import type { Mail } from './mail-texts.js';

/** Sends a mail. */
export interface Mailer {
  /** Resolves once somebody else has taken the mail over. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 30_000;
const MAX_CONNECTIONS = 2;

/** Sends by the server of `SMTP_URL`, from the address `weir@` of the base URL's host. */
export function smtpMailer(smtpUrl: string, from: string): Mailer {
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    // What is sent is text of our own: nothing is ever read from a file or fetched.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    send: async (mail) => {
      await transport.sendMail(message(mail, from));
    },
    close: () => transport.close(),
  };
}

/** Writes each mail into a file of its own, for whoever runs the service without a mail server. */
export function fileMailer(directory: string, from: string, logger: Logger): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  return {
    async send(mail) {
      const { message: bytes } = await transport.sendMail(message(mail, from));
      if (!Buffer.isBuffer(bytes)) throw new Error('the mail was not put together');
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const path = join(directory, `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.eml`);
      const draft = `${path}.draft`;
      await writeFile(draft, unquoted(bytes.toString(), mail.text), { mode: 0o600 });
      await rename(draft, path);
      logger.info({ file: path }, 'no SMTP_URL: the mail was written to a file');
    },
    close: () => undefined,
  };
}

/** The mail with its text as it is: whoever opens the file copies the link from there, and quoting would break it. */
function unquoted(source: string, body: string): string {
  const [head = ''] = source.split('\n\n', 1);
  return `${head.replace(/^(content-transfer-encoding:).*$/im, '$1 8bit')}\n\n${body}`;
}

/** RFC 3834: no answering machine is to answer, and no mail list to pass it on. */
function message({ to, subject, text }: Mail, from: string) {
  return {
    from: { name: 'Weir', address: from },
    // As an object, so that nothing in it is read as a list of addresses.
    to: { name: '', address: to },
    subject,
    text,
    headers: { 'auto-submitted': 'auto-generated', 'x-auto-response-suppress': 'All' },
  };
}

/** What a log line may tell of a mail that was not sent: never the server's words, which quote addresses. */
export function sendFailure(error: unknown): object {
  const code = error instanceof Error && 'responseCode' in error ? error.responseCode : undefined;
  return { err: errorForLog(error), ...(typeof code === 'number' ? { smtp_status: code } : {}) };
}
