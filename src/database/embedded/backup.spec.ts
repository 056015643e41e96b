import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkBackup, makeBackup, restoreBackup, type Backup, type Holdable } from './backup.js';

const STILL: Holdable = { still: (work) => work() };

describe('A backup of a data directory', () => {
  let root: string;
  let dataDir: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'weir-backup-'));
    dataDir = join(root, 'data');
    mkdirSync(join(dataDir, 'db', 'pg_empty'), { recursive: true });
    writeFileSync(join(dataDir, 'db', 'PG_VERSION'), '17\n');
    writeFileSync(join(dataDir, 'bootstrap.json'), '{}');
    writeFileSync(join(dataDir, 'weir.pid'), '1\n');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const backUp = (to: string): Promise<Backup> => makeBackup(dataDir, to, '0.1.0', STILL);

  it('does not include earlier backups in the data directory', async () => {
    const [first, second] = [join(dataDir, 'backups', 'first'), join(dataDir, 'backups', 'second')];
    const { files, folders } = await backUp(first);
    expect(await backUp(second)).toMatchObject({ files, folders });
    expect(folders).toEqual(['db', 'db/pg_empty']);
    expect(readdirSync(join(second, 'data')).sort()).toEqual(['bootstrap.json', 'db']);
  });

  it('contains a database whose folder is a link to another disk', async () => {
    const [disk, to] = [join(root, 'disk'), join(root, 'monday')];
    renameSync(join(dataDir, 'db'), disk);
    symlinkSync(disk, join(dataDir, 'db'));
    symlinkSync(dataDir, join(disk, 'back'));
    symlinkSync(join(root, 'gone'), join(disk, 'broken'));
    const { files, folders } = await backUp(to);
    expect(files.map(({ path }) => path)).toEqual(['bootstrap.json', 'db/PG_VERSION']);
    expect(folders).toEqual(['db', 'db/pg_empty']);
    expect(lstatSync(join(to, 'data', 'db')).isDirectory()).toBe(true);
  });

  it('is refused without a database, because an empty one would be restored', async () => {
    const to = join(root, 'monday');
    await backUp(to);
    const manifest = join(to, 'backup.json');
    writeFileSync(manifest, JSON.stringify({ ...(await checkBackup(to)), files: [] }));
    await expect(checkBackup(to)).rejects.toThrow('There is no database in');
    rmSync(join(dataDir, 'db'), { recursive: true });
    await expect(backUp(join(root, 'tuesday'))).rejects.toThrow('There is no database in');
  });

  it('is refused for a folder in which it would be part of the next backup', async () => {
    for (const to of [join(dataDir, 'monday'), join(dataDir, 'db', 'monday'), join(dataDir, '..backup')]) {
      await expect(backUp(to)).rejects.toThrow('part of the data directory');
      expect(existsSync(to)).toBe(false);
    }
  });

  it('can be written next to the data directory, even into a folder with a similar name', async () => {
    const to = join(root, 'data-of-monday');
    await backUp(to);
    expect(await checkBackup(to)).toMatchObject({ weir: '0.1.0' });
  });

  it('leaves no files behind if it fails, so that the same folder can be used again', async () => {
    const to = join(root, 'monday');
    const full: Holdable = { still: () => Promise.reject(new Error('no space left on device')) };
    await expect(makeBackup(dataDir, to, '0.1.0', full)).rejects.toThrow('no space left');
    expect(readdirSync(to)).toEqual([]);
    expect(await backUp(to)).toMatchObject({ weir: '0.1.0' });
  });

  it('is restored into an empty folder, together with its own empty folders, and changes nothing next to that folder', async () => {
    const [to, volume] = [join(root, 'monday'), join(root, 'volume')];
    await backUp(to);
    mkdirSync(volume);
    const restored = join(volume, 'data');
    mkdirSync(restored);
    utimesSync(volume, 0, 0);
    await restoreBackup(to, restored);
    expect(statSync(volume).mtimeMs).toBe(0);
    expect(readdirSync(restored, { recursive: true }).sort()).toEqual(
      ['bootstrap.json', 'db', 'db/PG_VERSION', 'db/pg_empty'].map((path) => join(path)),
    );
  });
});
