import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../api/index.js';
import { CliError, EXIT, usageError } from '../exit-code.js';
import type { Io } from '../io.js';
import type { Export, ExportClient } from './export-client.js';
import { cannotWrite } from '../named-files.js';

const ATTEMPTS = 5;
const PAUSE_MS = 500;
const CHUNK = 1024 * 1024;

export interface Fetching {
  readonly client: ExportClient;
  readonly job: Export;
  /** The path as the user typed it. */
  readonly output: string;
  /** Whether to continue an existing partial file. */
  readonly resume: boolean;
  readonly io: Io;
  readonly seen: (bytes: number) => void;
}

/**
 * Downloads the file of a finished export and verifies its SHA-256. After a broken connection, the download
 * continues at the end of the local file.
 *
 * @throws CliError exit 2 if the file exists, exit 4 if the content differs from the export
 */
export async function fetchFile(fetching: Fetching): Promise<void> {
  const { client, job, output, resume, io, seen } = fetching;
  if (!job.has_file) throw usageError(`export ${job.id} has no file, or its file was deleted`);
  const file = await opened(resolve(io.cwd, output), output, resume);
  try {
    let { size } = await file.stat();
    if (size > job.bytes) throw usageError(`${output} is larger than the export: it is a different file`);
    for (let failures = 0; size < job.bytes;) {
      try {
        for await (const part of client.file(job.id, size)) {
          if (size + part.length > job.bytes) throw broken('the server sent more than was exported');
          await file.write(part, 0, part.length, size);
          size += part.length;
          failures = 0;
          seen(size);
        }
        if (size < job.bytes) throw new ApiError(0, 'bad_answer', 'the connection ended before the file was complete');
      } catch (error) {
        const mayGoOn = error instanceof ApiError && (error.status === 0 || error.status >= 500);
        if (!mayGoOn || ++failures >= ATTEMPTS) throw error;
        await sleep(PAUSE_MS * 2 ** failures, undefined, { signal: io.signal });
      }
    }
    if ((await sha256Of(file, job.bytes)) !== job.sha256) {
      throw broken(`${output} differs from the export: delete the file and fetch it again`);
    }
  } finally {
    await file.close();
  }
}

function broken(words: string): CliError {
  return new CliError(EXIT.unavailable, words);
}

/** Events contain user-written texts, so only the owner can read the file. */
async function opened(path: string, shown: string, resume: boolean): Promise<FileHandle> {
  try {
    return await open(path, resume ? 'r+' : 'wx+', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (resume && code === 'ENOENT') return opened(path, shown, false);
    throw code === 'EEXIST'
      ? usageError(`${shown} already exists; to continue it: --resume`)
      : cannotWrite(shown, error);
  }
}

async function sha256Of(file: FileHandle, bytes: number): Promise<string> {
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(CHUNK);
  for (let at = 0; at < bytes;) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK, at);
    if (bytesRead === 0) break;
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  return hash.digest('hex');
}
