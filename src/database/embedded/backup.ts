/**
 * Backups of the embedded database and the other files of the data directory: copied during operation, then verified by opening the copy.
 * The last pass of copying runs while no statement runs, so the copy is consistent.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { DatabaseUnusable } from '../database-error.js';
import { deleteAbandonedCopies, MANIFEST } from './backup-copies.js';
import { digestOf, FolderCopy, foldersOf, sealed, type CopiedFile } from './folder-copy.js';

/** Files of the data directory that belong to the running process only. */
const OF_THE_PROCESS = new Set(['weir.lock', 'weir.lock-journal', 'weir.pid', 'weir.sock']);
/** The folder in the data directory for backups, which other backups do not include. */
const BACKUPS = 'backups';
/** The maximum number of passes while statements run; the rest is copied while they are paused. */
const PASSES = 3;
/** If a pass copies at most this number of bytes, another pass is not worthwhile. */
const LITTLE_BYTES = 16 * 1_048_576;
const CONTENT = 'data';

export interface Backup {
  readonly schemaVersion: 1;
  readonly weir: string;
  readonly at: string;
  readonly files: readonly CopiedFile[];
  /** Including folders without files: the database does not start without them. */
  readonly folders: readonly string[];
  readonly bytes: number;
  /** The milliseconds for which statements were paused. */
  readonly heldMs: number;
}

/** A database whose statements can be paused. */
export interface Holdable {
  /** Runs `work` while no statement runs and all data has been written to the files. */
  still<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Copies a data directory.
 *
 * @param to created by this; must not exist or be empty; within the data directory only below `backups`; empty if the copy fails
 * @throws DatabaseUnusable naming the folder that cannot be used
 */
export async function makeBackup(dataDir: string, to: string, version: string, database: Holdable): Promise<Backup> {
  if (existsSync(to) && readdirSync(to).length > 0) throw new DatabaseUnusable(`The folder ${to} is not empty.`);
  assertApart(dataDir, to);
  await deleteAbandonedCopies(to);
  mkdirSync(to, { recursive: true, mode: 0o700 });
  const content = join(to, CONTENT);
  await mkdir(content, { mode: 0o700 });
  try {
    return await copyTo(to, { dataDir, version, database });
  } catch (error) {
    // A part of a backup would keep a full disk full.
    await rm(content, { recursive: true, force: true });
    await rm(join(to, MANIFEST), { force: true });
    throw error;
  }
}

interface BackupSource {
  readonly dataDir: string;
  readonly version: string;
  readonly database: Holdable;
}

async function copyTo(to: string, { dataDir, version, database }: BackupSource): Promise<Backup> {
  const content = join(to, CONTENT);
  const copy = new FolderCopy(dataDir, content, staysBehind);
  for (let left = PASSES; left > 0 && (await copy.pass()) > LITTLE_BYTES; left--);
  const { heldMs, folders, at } = await database.still(async () => {
    const startedMs = performance.now();
    await copy.pass();
    const present = await foldersOf(dataDir, staysBehind);
    return { heldMs: performance.now() - startedMs, folders: present, at: new Date().toISOString() };
  });
  for (const folder of folders) mkdirSync(join(content, folder), { recursive: true, mode: 0o700 });
  const files = await sealed(content);
  assertDatabase(files, dataDir);
  const bytes = files.reduce((sum, each) => sum + each.bytes, 0);
  const backup: Backup = { schemaVersion: 1, weir: version, at, files, folders, bytes, heldMs };
  writeFileSync(join(to, MANIFEST), `${JSON.stringify(backup)}\n`, { mode: 0o600, flush: true });
  return backup;
}

/** An empty database would be created in its place, and nobody would notice. @throws DatabaseUnusable if the files contain no database */
function assertDatabase(files: readonly CopiedFile[], folder: string): void {
  if (files.some(({ path }) => path.startsWith('db/'))) return;
  throw new DatabaseUnusable(`There is no database in ${folder}: its folder db contains no file.`);
}

/** Whether a path of a data directory (with slashes) is excluded from backups. */
function staysBehind(path: string): boolean {
  return OF_THE_PROCESS.has(path) || path === BACKUPS || path.startsWith(`${BACKUPS}/`);
}

/** Refuses a backup within the copied folder, which would be part of itself and of all later backups. */
function assertApart(dataDir: string, to: string): void {
  const path = relative(resolve(dataDir), resolve(to));
  if (isAbsolute(path) || path.split(sep)[0] === '..' || staysBehind(path.replaceAll(sep, '/'))) return;
  throw new DatabaseUnusable(
    `The folder ${to} is part of the data directory: choose one outside of it, or one in ${join(dataDir, BACKUPS)}.`,
  );
}

/**
 * Checks that a backup is complete: every file exists and is unchanged.
 * @throws DatabaseUnusable naming the first missing or changed file
 */
export async function checkBackup(folder: string): Promise<Backup> {
  const backup = manifestOf(folder);
  assertDatabase(backup.files, folder);
  for (const { path, bytes, sha256 } of backup.files) {
    const file = join(folder, CONTENT, path);
    if (!existsSync(file)) throw new DatabaseUnusable(`The backup is incomplete: ${file} is missing.`);
    if ((await digestOf(file)) !== sha256) {
      throw new DatabaseUnusable(`The backup is damaged: ${file} differs from the written file (${bytes} bytes).`);
    }
  }
  return backup;
}

/**
 * Restores a backup to a data directory that is empty or does not exist.
 * @throws DatabaseUnusable if the backup is damaged or the directory is in use
 */
export async function restoreBackup(folder: string, dataDir: string): Promise<Backup> {
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0) {
    throw new DatabaseUnusable(
      `The data directory ${dataDir} is not empty: move it away first, or choose another WEIR_DATA_DIR.`,
    );
  }
  const backup = await checkBackup(folder);
  // An interrupted restore leaves no partial database. The draft is within the data directory, because there may be no permission next
  // to a volume.
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const draft = mkdtempSync(join(dataDir, '.restore-'));
  try {
    copyContent(folder, draft);
    await sealed(draft);
    for (const name of readdirSync(draft)) renameSync(join(draft, name), join(dataDir, name));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return backup;
}

/** Copies the content of a backup to another folder, to be opened there, because opening a database writes to it. */
export function copyContent(folder: string, to: string): void {
  cpSync(join(folder, CONTENT), to, { recursive: true });
  for (const each of manifestOf(folder).folders) mkdirSync(join(to, each), { recursive: true, mode: 0o700 });
}

function manifestOf(folder: string): Backup {
  let text: string;
  try {
    text = readFileSync(join(folder, MANIFEST), 'utf8');
  } catch {
    throw new DatabaseUnusable(`There is no backup in ${folder}: ${MANIFEST} is missing.`);
  }
  try {
    return JSON.parse(text) as Backup;
  } catch {
    throw new DatabaseUnusable(`The backup is damaged: ${join(folder, MANIFEST)} cannot be read.`);
  }
}
