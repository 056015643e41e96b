import { randomBytes } from 'node:crypto';
import { fstatSync, rmSync, writeSync, type Stats } from 'node:fs';
import { access, constants, open, realpath, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** An existing file that another one may replace. */
interface Replaceable {
  /** The path behind all links. */
  readonly path: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

const PERMISSIONS = 0o7777;
/** Without room for a draft, a file that is written in place would lose its text. */
const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);
/** Names of devices, of open files and of settings of the kernel. */
const OF_THE_SYSTEM = /^\/(?:dev|proc)\//;
/** An open file of this process, by its number. */
const DESCRIPTOR = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/;
const STREAMS: ReadonlyMap<string, number> = new Map([
  ['/dev/stdin', 0],
  ['/dev/stdout', 1],
  ['/dev/stderr', 2],
]);

/** The drafts that are being written. A second Ctrl-C ends the process at once, and must not leave them. */
const drafts = new Set<string>();

/**
 * Writes the whole file, or leaves it as it is: a full disk or the end of the process must not leave the half of a policy. The text goes
 * into a draft beside the file, which then takes its place. Links, permissions (the mode) and the owner stay; access control lists,
 * extended attributes and the time of creation do not. A file that cannot be replaced is written in place: a new one, a pipe, one with
 * several names, one that this process has as stdin, stdout or stderr, and one whose folder this user cannot write to. An open file that
 * is named by its number, such as `/dev/stderr`, is continued.
 *
 * @throws the errors of the file system
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const name = resolve(path);
  const opened = openFile(name);
  if (opened !== undefined) return writeAll(opened, text);
  const existing = OF_THE_SYSTEM.test(name) ? undefined : await replaceable(name);
  if (existing === undefined || !(await isReplaced(existing, text))) await writeFile(name, text);
}

/** The number of the open file that a path names, if it is a file on a disk: to open it again would empty it. */
function openFile(path: string): number | undefined {
  const number = STREAMS.get(path) ?? DESCRIPTOR.exec(path)?.[1];
  if (number === undefined) return undefined;
  return statusOf(Number(number))?.isFile() === true ? Number(number) : undefined;
}

function statusOf(descriptor: number): Stats | undefined {
  try {
    return fstatSync(descriptor);
  } catch {
    return undefined;
  }
}

function writeAll(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
}

async function replaceable(path: string): Promise<Replaceable | undefined> {
  try {
    const file = await realpath(path);
    const found = await stat(file);
    // A file that is protected against changes must not be replaced either.
    await access(file, constants.W_OK);
    return found.isFile() && found.nlink === 1 && !isStream(found)
      ? { path: file, mode: found.mode, uid: found.uid, gid: found.gid }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Whether stdin, stdout or stderr is redirected to a file: the shell, and other programs, go on with the file that they have opened. */
function isStream({ dev, ino }: Stats): boolean {
  return [...STREAMS.values()].map(statusOf).some((opened) => opened?.dev === dev && opened.ino === ino);
}

/** Replaces a file; false if that is not possible here. @throws the error of a text that cannot be written, such as ENOSPC */
async function isReplaced({ path, ...owned }: Replaceable, text: string): Promise<boolean> {
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`);
  if (drafts.size === 0) process.on('exit', removeDrafts);
  drafts.add(draft);
  try {
    const file = await open(draft, 'wx', 0o600).catch((error: unknown) => {
      if (FULL.has((error as NodeJS.ErrnoException).code)) throw error;
    });
    return file !== undefined && (await isWritten(file, text, owned)) && (await isRenamed(draft, path));
  } finally {
    await rm(draft, { force: true });
    drafts.delete(draft);
    if (drafts.size === 0) process.off('exit', removeDrafts);
  }
}

function removeDrafts(): void {
  for (const draft of drafts) rmSync(draft, { force: true });
}

/** Writes a draft to the disk and closes it; false if it cannot get the owner or the mode of the file. */
async function isWritten(file: FileHandle, text: string, owned: Omit<Replaceable, 'path'>): Promise<boolean> {
  try {
    await file.writeFile(text);
    if (!(await isGiven(file, owned))) return false;
    await file.sync();
    return true;
  } finally {
    // Some file systems report only here that the text has no room.
    await file.close();
  }
}

async function isGiven(file: FileHandle, { mode, uid, gid }: Omit<Replaceable, 'path'>): Promise<boolean> {
  try {
    const own = await file.stat();
    if (own.uid !== uid || own.gid !== gid) await file.chown(uid, gid);
    await file.chmod(mode & PERMISSIONS);
    return true;
  } catch {
    return false;
  }
}

async function isRenamed(draft: string, path: string): Promise<boolean> {
  return rename(draft, path).then(
    () => true,
    // As of a file that is mounted alone into a container.
    () => false,
  );
}
