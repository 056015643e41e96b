import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deleteAbandonedCopies, MANIFEST, newCopyFolder } from './backup-copies.js';

describe('The copy of a backup that was opened to verify it', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'weir-copies-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const backup = (name: string): string => {
    const folder = join(root, name);
    mkdirSync(folder);
    writeFileSync(join(folder, MANIFEST), '{}');
    return folder;
  };

  it('is deleted by the next backup in the same folder, if its verification was killed', async () => {
    const { path, lock } = newCopyFolder(backup('monday'));
    writeFileSync(join(path, 'PG_VERSION'), '18\n');
    // A killed process holds no lock.
    lock.release();
    await deleteAbandonedCopies(join(root, 'tuesday'));
    expect(existsSync(path)).toBe(false);
    expect(existsSync(join(root, 'monday', MANIFEST))).toBe(true);
  });

  it('stays while its verification runs', async () => {
    const { path, lock } = newCopyFolder(backup('monday'));
    await deleteAbandonedCopies(join(root, 'tuesday'));
    expect(existsSync(path)).toBe(true);
    lock.release();
  });

  it('is not mistaken for a folder of the same name that is in no backup', async () => {
    const other = join(root, 'other', '.verify-mine');
    mkdirSync(other, { recursive: true });
    await deleteAbandonedCopies(join(root, 'tuesday'));
    expect(existsSync(other)).toBe(true);
  });
});
