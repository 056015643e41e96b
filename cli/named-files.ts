import { open, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { usageError, type CliError } from './exit-code.js';
import { replaceFile } from './replaced-file.js';

/** Stands for stdin among input files, and for stdout as an output file. A file of this name is written `./-`. */
export const STDIN = '-';

/** The folder from which relative names start. */
interface Place {
  readonly cwd: string;
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'it does not exist',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be too large',
  EIO: 'the disk reports an error',
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

/** The error for a file that could not be written. @returns CliError exit 2 */
export function cannotWrite(shown: string, error: unknown): CliError {
  const code = codeOf(error);
  if (code === 'EEXIST') return usageError(`${shown} already exists`);
  return usageError(`cannot write ${shown}: ${code === 'ENOENT' ? 'its folder does not exist' : reason(code)}`);
}

/** System calls that only read, and those that change something. `open` may do both. */
const READING: ReadonlySet<string> = new Set(['access', 'lstat', 'read', 'readlink', 'realpath', 'scandir', 'stat']);
const WRITING: ReadonlySet<string> = new Set(['chmod', 'mkdir', 'mkdtemp', 'rename', 'rmdir', 'unlink', 'write']);

/** The error for a file that no caller expected to fail, such as one on a read-only disk; undefined if the error is about no file. */
export function cannotUse(error: unknown): CliError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { syscall = '', path } = error as NodeJS.ErrnoException;
  if (path === undefined) return undefined;
  if (READING.has(syscall)) return cannotRead(path, error);
  if (WRITING.has(syscall)) return cannotWrite(path, error);
  return syscall === 'open' ? usageError(`cannot open ${path}: ${reason(codeOf(error))}`) : undefined;
}

/** The named output file; undefined for stdout, which is the default of the command. */
export function outputFile(name: string | undefined): string | undefined {
  return name === STDIN ? undefined : name;
}

/** The path of a file or folder that an argument names as output. @throws CliError (exit 2) for `-` */
export function outputPath(shown: string, { cwd }: Place): string {
  if (shown === STDIN) throw usageError('- cannot stand for stdout here: name a file');
  return resolve(cwd, shown);
}

/**
 * Writes a file named by an argument, relative to the working directory. An existing file is replaced as a whole, or not at all.
 *
 * @param flag `wx`: the file must not exist yet
 * @throws CliError (exit 2)
 */
export async function writeNamedFile(shown: string, text: string, place: Place, flag: 'w' | 'wx' = 'w'): Promise<void> {
  const path = outputPath(shown, place);
  try {
    await (flag === 'w' ? replaceFile(path, text) : writeFile(path, text, { flag }));
  } catch (error) {
    throw cannotWrite(shown, error);
  }
}

/**
 * Opens a new file, which only its owner can read, for the time of `work`. If `work` fails before it has written anything, the file is
 * removed, so that the same command can be repeated.
 *
 * @param resume whether to open an existing file instead, to continue it; undefined if the command cannot continue a file
 * @throws CliError (exit 2) if the file exists or cannot be created; the errors of `work`
 */
export async function withNewFile<Result>(
  shown: string,
  place: Place,
  resume: boolean | undefined,
  work: (file: FileHandle) => Promise<Result>,
): Promise<Result> {
  const path = outputPath(shown, place);
  const existing = resume === true ? await reopened(path, shown) : undefined;
  const file = existing ?? (await created(path, shown, resume));
  try {
    return await work(file);
  } catch (error) {
    const { size } = await file.stat();
    if (existing === undefined && size === 0) await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** Writes all bytes at an offset of a file: a single write may store only some of them. @throws CliError (exit 2) */
export async function writeAt(file: FileHandle, bytes: Uint8Array, at: number, shown: string): Promise<void> {
  try {
    for (let done = 0; done < bytes.length;) {
      done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
    }
  } catch (error) {
    throw cannotWrite(shown, error);
  }
}

async function reopened(path: string, shown: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw cannotWrite(shown, error);
  }
}

async function created(path: string, shown: string, resume: boolean | undefined): Promise<FileHandle> {
  try {
    return await open(path, 'wx+', 0o600);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || resume === undefined) throw cannotWrite(shown, error);
    throw usageError(`${shown} already exists; to continue it: --resume`);
  }
}

function reason(code: string): string {
  return REASONS[code] ?? code;
}

function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code ?? 'unknown error';
}
