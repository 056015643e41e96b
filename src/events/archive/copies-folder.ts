/**
 * A folder of a process for data of archived parts: copies of their objects, and the temporary files of DuckDB. Erasures do not reach these
 * files, so none may outlive its process: a killed process deletes nothing, and the next one deletes its folder. A socket in the folder
 * shows whether its process has ended. The id of the process would not, because a restarted container uses the same ids again, and
 * containers may share a folder for temporary files.
 */
import { lstat, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'weir-parts-';
/** The name of the socket on which the process of the folder listens. */
const OWNER = 'owner';
/** The maximum length of a socket's path in bytes that all systems allow. */
const LONGEST_PATH = 100;

export interface CopiesFolder {
  readonly path: string;
  /** Deletes the folder with all its files. */
  close(): Promise<void>;
}

/** Creates a folder that only this user can read. If its socket cannot be opened, no other process deletes the folder. */
export async function openCopiesFolder(): Promise<CopiesFolder> {
  const path = await mkdtemp(join(tmpdir(), PREFIX));
  const server = await listenIn(path);
  return {
    path,
    close: async () => {
      server?.close();
      await rm(path, { recursive: true, force: true });
    },
  };
}

async function listenIn(folder: string): Promise<Server | undefined> {
  const owner = join(folder, OWNER);
  const opening = `${owner}.new`;
  if (Buffer.byteLength(opening) > LONGEST_PATH) return undefined;
  const server = createServer((socket) => socket.destroy()).unref();
  const isOpen = await new Promise<boolean>((resolve) => {
    server.on('error', () => resolve(false));
    server.listen(opening, () => resolve(true));
  });
  if (!isOpen) return undefined;
  // Until it listens, the socket looks like that of an ended process.
  await rename(opening, owner);
  return server;
}

/**
 * Deletes the folders of this user's processes that have ended. Never rejects: a folder that cannot be deleted stays. The socket of a process
 * on another machine seems to be that of an ended one: if machines share the folder, that process has to open another folder.
 */
export async function deleteAbandonedFolders(): Promise<void> {
  const names = await readdir(tmpdir()).catch((): string[] => []);
  for (const name of names) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(tmpdir(), name);
    if (!(await isOwn(path)) || !(await hasEnded(path))) continue;
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function isOwn(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() === true && found.uid === (process.getuid?.() ?? found.uid);
}

/** Whether the process of the folder has ended: nothing listens on its socket. A folder without a socket may still be in use. */
function hasEnded(folder: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(join(folder, OWNER), () => {
      socket.destroy();
      resolve(false);
    });
    socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'));
  });
}
