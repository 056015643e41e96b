import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ObjectStore } from '../../object-storage/index.js';
import type { ArchivePart } from './catalogue.js';
import { PartCopies } from './part-copies.js';

const OBJECT = Buffer.from('the events of a part');
const PART = { key: 'part', sha256: createHash('sha256').update(OBJECT).digest('hex') } as ArchivePart;
const store = { get: () => Promise.resolve(OBJECT) } as unknown as ObjectStore;
/** Opens the socket of a folder, and is killed. */
const KILLED = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;

describe('The local copies of archived parts', () => {
  const made: string[] = [];
  /** A folder with a copy, as a process leaves it that does not delete it. */
  const folderWithCopy = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'weir-parts-'));
    made.push(folder);
    writeFileSync(join(folder, 'copy.parquet'), OBJECT);
    return folder;
  };
  afterEach(() => {
    for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  it('are deleted when the next process opens the archive, if their process was killed', async () => {
    const folder = folderWithCopy();
    expect(spawnSync(process.execPath, ['-e', KILLED, join(folder, 'owner')]).signal).toBe('SIGKILL');
    await new PartCopies({ store }).close();
    expect(existsSync(folder)).toBe(false);
  });

  it('stay while their process runs, and are deleted when it closes the archive', async () => {
    const copies = new PartCopies({ store });
    const path = await copies.reading([PART], async ([copy = '']) => {
      await new PartCopies({ store }).close();
      expect(existsSync(copy)).toBe(true);
      return copy;
    });
    expect(existsSync(join(dirname(path), 'owner'))).toBe(true);
    await copies.close();
    expect(existsSync(dirname(path))).toBe(false);
  });

  it('are made again in another folder, if another machine with the same temporary files has deleted theirs', async () => {
    const copies = new PartCopies({ store });
    const deleted = await copies.reading([PART], ([copy = '']) => Promise.resolve(copy));
    rmSync(dirname(deleted), { recursive: true });
    const isThere = await copies.reading([PART], ([copy = '']) => Promise.resolve(existsSync(copy)));
    await copies.close();
    expect(isThere).toBe(true);
  });

  it('stay if their folder has no socket, because their process may run', async () => {
    const folder = folderWithCopy();
    await new PartCopies({ store }).close();
    expect(existsSync(join(folder, 'copy.parquet'))).toBe(true);
  });
});
