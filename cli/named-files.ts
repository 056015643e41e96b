import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { usageError, type CliError } from './exit-code.js';
import type { Io } from './io.js';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is a file',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'the name is too long',
};

/** The error for a file argument that could not be read, by Node's errno codes. */
export function cannotRead(shown: string, error: unknown): CliError {
  const code = codeOf(error);
  return usageError(code === 'ENOENT' ? `there is no file ${shown}` : `cannot read ${shown}: ${reason(code)}`);
}

/** Writes a file named by an argument, relative to the working directory. @throws CliError (exit 2) */
export async function writeNamedFile(shown: string, text: string, { cwd }: Pick<Io, 'cwd'>): Promise<void> {
  try {
    await writeFile(resolve(cwd, shown), text);
  } catch (error) {
    throw cannotWrite(shown, error);
  }
}

/** The error for a file that could not be written. @returns CliError exit 2 */
export function cannotWrite(shown: string, error: unknown): CliError {
  const code = codeOf(error);
  return usageError(`cannot write ${shown}: ${code === 'ENOENT' ? 'its folder does not exist' : reason(code)}`);
}

function reason(code: string): string {
  return REASONS[code] ?? code;
}

function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code ?? 'unknown error';
}
