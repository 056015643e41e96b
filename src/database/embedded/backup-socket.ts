/**
 * The connection of `weir server backup` and `weir subscriptions` to a running server that holds the lock of its data directory: a socket
 * in that directory, which only the server's user can open. It accepts the folder for a backup, or a question to a part of the server.
 */
import { chmodSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { isAbsolute, join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseUnusable } from '../database-error.js';
import type { Backup } from './backup.js';

/** The maximum length of a socket's path in bytes that all systems allow. */
const LONGEST_PATH = 100;
/** A client that is stuck or suspended does not read its answer; its connection would keep the server from ending. */
const READ_WITHIN_MS = 5_000;

interface Answer {
  readonly backup?: Backup;
  readonly answer?: unknown;
  readonly problem?: string;
}

/** Answers one kind of question; question and answer are JSON. */
export type Answerer = (asked: unknown) => Promise<unknown>;

/** The path of the server's socket; undefined if the path of the data directory is too long. */
export function backupSocketOf(dataDir: string): string | undefined {
  const path =
    process.platform === 'win32'
      ? String.raw`\\.\pipe\weir${dataDir.replaceAll(/[^\w]/g, '-')}`
      : join(dataDir, 'weir.sock');
  return Buffer.byteLength(path) > LONGEST_PATH ? undefined : path;
}

/** Listens while the database is open. If the socket cannot be opened, only backups of a running server are unavailable. */
export async function openBackupSocket(
  dataDir: string,
  make: (to: string) => Promise<Backup>,
  answerers: ReadonlyMap<string, Answerer> = new Map(),
): Promise<() => Promise<void>> {
  const path = backupSocketOf(dataDir);
  if (path === undefined) return () => Promise.resolve();
  // A socket left by a killed process: the lock of the data directory proves that no other process is running.
  if (process.platform !== 'win32') rmSync(path, { force: true });
  /** Connections whose request has not arrived yet. */
  const silent = new Set<Socket>();
  const server = createServer((socket) => {
    silent.add(socket);
    socket.on('close', () => silent.delete(socket));
    void answer(socket, (line) => {
      silent.delete(socket);
      return made(line, make, answerers);
    }).catch(() => socket.destroy());
  });
  const isOpen = await new Promise<boolean>((resolve) => {
    // Also for later errors: without a listener, they would end the process.
    server.on('error', () => resolve(false));
    server.listen(path, () => resolve(true));
  });
  if (!isOpen) return () => Promise.resolve();
  // Restricts the socket to its owner, regardless of the permissions of the directory and the umask.
  if (process.platform !== 'win32') chmodSync(path, 0o600);
  server.unref();
  return async () => {
    const ended = closed(server);
    // A client that sends no request must not keep the server from ending.
    for (const socket of silent) socket.destroy();
    await ended;
  };
}

async function answer(socket: Socket, answerOf: (line: string) => Promise<Answer>): Promise<void> {
  socket.on('error', () => socket.destroy());
  const lines = createInterface({ input: socket });
  // The reader re-emits the socket's errors; without a listener, a killed client would end the server.
  lines.on('error', () => socket.destroy());
  for await (const line of lines) {
    socket.end(`${JSON.stringify(await answerOf(line))}\n`);
    socket.setTimeout(READ_WITHIN_MS, () => socket.destroy());
    return;
  }
}

async function made(
  line: string,
  make: (to: string) => Promise<Backup>,
  answerers: ReadonlyMap<string, Answerer>,
): Promise<Answer> {
  try {
    const { to, question, asked } = JSON.parse(line) as { to?: unknown; question?: unknown; asked?: unknown };
    if (typeof question === 'string') {
      const answerer = answerers.get(question);
      return answerer === undefined
        ? { problem: 'the running server does not support this request' }
        : { answer: await answerer(asked) };
    }
    if (typeof to !== 'string' || !isAbsolute(to)) return { problem: 'the absolute path of a folder is required' };
    return { backup: await make(to) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'unknown error' };
  }
}

/**
 * Requests a backup from the server that uses the data directory.
 * @returns undefined if no server is listening
 * @throws DatabaseUnusable if the server could not make the backup
 */
export async function askForBackup(dataDir: string, to: string): Promise<Backup | undefined> {
  const answer = await exchange(dataDir, { to });
  if (answer?.backup !== undefined || answer === undefined) return answer?.backup;
  throw new DatabaseUnusable(`The server made no backup: ${answer.problem}`);
}

/**
 * Sends a question to the server that uses the data directory.
 * @param question the name in `Database.answerers`
 * @returns undefined if no server is listening
 * @throws DatabaseUnusable if the server could not answer
 */
export async function askServer(dataDir: string, question: string, asked: unknown): Promise<unknown> {
  const said = await exchange(dataDir, { question, asked });
  if (said?.problem === undefined) return said?.answer;
  throw new DatabaseUnusable(`The server that uses the database did not answer: ${said.problem}`);
}

async function exchange(dataDir: string, message: object): Promise<Answer | undefined> {
  const path = backupSocketOf(dataDir);
  if (path === undefined) return undefined;
  const socket = connect(path);
  const isConnected = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  if (!isConnected) return undefined;
  socket.on('error', () => socket.destroy());
  socket.write(`${JSON.stringify(message)}\n`);
  for await (const line of createInterface({ input: socket })) return JSON.parse(line) as Answer;
  throw new DatabaseUnusable('The server ended before it answered.');
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
