import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askForBackup, askServer, backupSocketOf, openBackupSocket } from './backup-socket.js';
import type { Backup } from './backup.js';

/** More bytes than the buffers of an unread connection hold. */
const MANY_BYTES = 4_000_000;
const backup = (weir: string): Backup => ({
  ...{ schemaVersion: 1, weir, at: '2026-01-01T00:00:00.000Z', files: [], folders: [], bytes: 0, heldMs: 0 },
});

describe('The backup socket', () => {
  let folder: string;
  let close: () => Promise<void>;
  let version: string;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'weir-backup-'));
    version = '1';
    const answerers = new Map([['double', (asked: unknown) => Promise.resolve(Number(asked) * 2)]]);
    close = await openBackupSocket(folder, () => Promise.resolve(backup(version)), answerers);
  });
  afterEach(async () => {
    await close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('continues to serve requests when a client is killed before it has read its answer', async () => {
    version = 'x'.repeat(MANY_BYTES);
    const client = connect(backupSocketOf(folder)!);
    client.on('error', () => undefined);
    client.write(`${JSON.stringify({ to: '/backups/monday' })}\n`);
    await once(client, 'readable');
    client.destroy();
    await once(client, 'close');
    version = '1';
    expect(await askForBackup(folder, '/backups/monday')).toEqual(backup('1'));
  });

  it('forwards each request to its handler', async () => {
    expect(await askServer(folder, 'double', 21)).toBe(42);
    await expect(askServer(folder, 'triple', 21)).rejects.toThrow('the running server does not support this request');
    await close();
    expect(await askServer(folder, 'double', 21)).toBeUndefined();
  });

  it('closes although a client is connected that has sent no request', async () => {
    const client = connect(backupSocketOf(folder)!);
    client.on('error', () => undefined);
    await once(client, 'connect');
    // The server has accepted both connections once it answers the second one.
    expect(await askServer(folder, 'double', 21)).toBe(42);
    await close();
    client.destroy();
  });

  it('is only accessible to the owner of the data directory', () => {
    if (process.platform !== 'win32') expect(statSync(backupSocketOf(folder)!).mode & 0o077).toBe(0);
  });
});
