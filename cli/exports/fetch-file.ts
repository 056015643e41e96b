import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, isPassing } from '../api/index.js';
import { CliError, EXIT, usageError } from '../exit-code.js';
import type { Io } from '../io.js';
import type { Export, ExportClient } from './export-client.js';
import { writeAt } from '../named-files.js';

const ATTEMPTS = 5;
const PAUSE_MS = 500;
const CHUNK = 1024 * 1024;

export interface Fetching {
  readonly client: ExportClient;
  readonly job: Export;
  /** The local file; it may contain the first part of the export. */
  readonly file: FileHandle;
  /** Its path as the user typed it. */
  readonly output: string;
  readonly io: Io;
  readonly seen: (bytes: number) => void;
}

/**
 * Downloads the file of a finished export and verifies its SHA-256. After a broken connection, the download
 * continues at the end of the local file.
 *
 * @throws CliError exit 2 if the file cannot be written, exit 4 if the content differs from the export
 */
export async function fetchFile(fetching: Fetching): Promise<void> {
  const { client, job, file, output, io, seen } = fetching;
  if (!job.has_file) throw usageError(`export ${job.id} has no file, or its file was deleted`);
  let { size } = await file.stat();
  if (size > job.bytes) throw usageError(`${output} is larger than the export: it is a different file`);
  for (let failures = 0; size < job.bytes;) {
    try {
      for await (const part of client.file(job.id, size)) {
        if (size + part.length > job.bytes) throw broken('the server sent more than was exported');
        await writeAt(file, part, size, output);
        size += part.length;
        failures = 0;
        seen(size);
      }
      if (size < job.bytes) throw new ApiError(0, 'bad_answer', 'the connection ended before the file was complete');
    } catch (error) {
      if (!isPassing(error) || ++failures >= ATTEMPTS) throw error;
      await sleep(PAUSE_MS * 2 ** failures, undefined, { signal: io.signal });
    }
  }
  if ((await sha256Of(file, job.bytes)) !== job.sha256) {
    throw broken(`${output} differs from the export: delete the file and fetch it again`);
  }
}

function broken(words: string): CliError {
  return new CliError(EXIT.unavailable, words);
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
