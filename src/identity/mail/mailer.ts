import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { errorForLog, type Logger } from '../../http/index.js';
import type { Mail } from './mail-texts.js';

/** Sends a mail. */
export interface Mailer {
  /** Resolves once the mail server or the file system has accepted the mail. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 30_000;
const MAX_CONNECTIONS = 2;

/** Sends mails through the server of `SMTP_URL`, from the address `weir@` of the base URL's host. */
export function smtpMailer(smtpUrl: string, from: string): Mailer {
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    // Mails consist of our own text: no content is read from a file or a URL.
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

/** Writes each mail to a separate file, for operators without a mail server. */
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

/** The mail with its plain text: the reader copies the link from the file, and quoted-printable would break it. */
function unquoted(source: string, body: string): string {
  const [head = ''] = source.split('\n\n', 1);
  return `${head.replace(/^(content-transfer-encoding:).*$/im, '$1 8bit')}\n\n${body}`;
}

/** Headers of RFC 3834: automatic responders and mailing lists must ignore the mail. */
function message({ to, subject, text }: Mail, from: string) {
  return {
    from: { name: 'Weir', address: from },
    // An object, so that the address is not parsed as a list of addresses.
    to: { name: '', address: to },
    subject,
    text,
    headers: { 'auto-submitted': 'auto-generated', 'x-auto-response-suppress': 'All' },
  };
}

/** What may be logged about a mail that was not sent: never the server's message, which quotes addresses. */
export function sendFailure(error: unknown): object {
  const code = error instanceof Error && 'responseCode' in error ? error.responseCode : undefined;
  return { err: errorForLog(error), ...(typeof code === 'number' ? { smtp_status: code } : {}) };
}
