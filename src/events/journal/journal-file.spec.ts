import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { JournalFile, JournalRefusal } from './journal-file.js';

const MIB = 1024 * 1024;
const CONTENT = Buffer.from('what somebody said');

describe('The journal on disk', () => {
  let folder: string;
  let reports: string[];
  const open = (limit = MIB): JournalFile =>
    JournalFile.open(folder, limit, (why, path) => void reports.push(`${why} → ${path.slice(folder.length)}`));
  const refusal = (work: () => unknown): JournalRefusal => {
    try {
      work();
    } catch (error) {
      if (error instanceof JournalRefusal) return error;
      throw error;
    }
    throw new Error('nothing was refused');
  };

  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'weir-journal-')), 'journal');
    reports = [];
  });
  afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

  it('keeps records over a restart, oldest first, and its files reveal nothing', () => {
    const first = open();
    for (const id of ['b', 'a', 'c']) first.add(id, CONTENT);
    first.close();
    for (const name of readdirSync(folder)) expect(readFileSync(join(folder, name))).not.toContain(CONTENT);
    const second = open();
    expect(second.oldest(2)).toEqual([
      { id: 'b', content: CONTENT },
      { id: 'a', content: CONTENT },
    ]);
    second.delete('b');
    expect([second.size, second.oldest(1)]).toEqual([2, [{ id: 'a', content: CONTENT }]]);
    second.close();
    expect(reports).toEqual([]);
  });

  it('reads 4 MiB of records at once, at least one record, and none of those to leave out', () => {
    const file = open(64 * MIB);
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']) file.add(id, Buffer.alloc(MIB));
    file.add('large', Buffer.alloc(5 * MIB));
    const oldest = (most: number, except = ''): string[] => file.oldest(most, new Set(except)).map(({ id }) => id);
    expect(oldest(64)).toEqual(['a', 'b', 'c']);
    expect(oldest(2)).toEqual(['a', 'b']);
    expect(oldest(64, 'abd')).toEqual(['c', 'e', 'f']);
    expect(oldest(64, 'abcdefghi')).toEqual(['large']);
    file.close();
  });

  it('refuses records beyond its limit, and accepts records again after some were deleted', () => {
    const file = open(64 * 1024);
    let kept = 0;
    const full = refusal(() => {
      for (; ; kept++) file.add(`r${kept}`, Buffer.alloc(4_000));
    });
    expect([full.kind, full.message, file.size, file.isUp]).toEqual(['full', 'is full', kept, false]);
    expect(kept).toBeGreaterThan(5);
    expect(file.bytes).toBeLessThanOrEqual(64 * 1024);
    for (let index = 0; index < kept; index++) file.delete(`r${index}`);
    file.add('again', Buffer.alloc(4_000));
    expect(file.isUp).toBe(true);
    file.close();
  });

  it('reports its last figures, and that it is down, if it cannot be read', () => {
    const file = open();
    file.add('a', CONTENT);
    const figures = [file.size, file.bytes];
    expect([...figures, file.isUp]).toEqual([1, expect.any(Number), true]);
    file.close();
    expect([file.size, file.bytes, file.isUp]).toEqual([...figures, false]);
  });

  it('is down while its disk fails the check, although nothing is written', async () => {
    const file = open();
    await file.checkDisk();
    expect(file.isUp).toBe(true);
    renameSync(folder, `${folder}-gone`);
    await file.checkDisk();
    expect(file.isUp).toBe(false);
    renameSync(`${folder}-gone`, folder);
    await file.checkDisk();
    expect(file.isUp).toBe(true);
    file.close();
  });

  it('sets a damaged file aside, reports its new path, and begins a new one', () => {
    const file = open();
    file.add('a', CONTENT);
    file.close();
    writeFileSync(join(folder, 'records.db'), Buffer.alloc(5_000, 'x'));
    const next = open();
    expect(reports).toEqual([expect.stringMatching(/^is damaged → \/records\.db\.\d{4}/)]);
    next.add('b', CONTENT);
    expect(next.oldest(9)).toEqual([{ id: 'b', content: CONTENT }]);
    next.close();
  });

  it.each([
    ['is missing or damaged', () => rmSync(join(folder, 'journal.key'))],
    ['contains another key', () => writeFileSync(join(folder, 'journal.key'), Buffer.alloc(32, 7).toString('base64'))],
    ['is missing or damaged', () => writeFileSync(join(folder, 'journal.key'), 'cut o')],
  ])(
    'sets records aside if their key %s, and reads them again once the file and the key are restored',
    (why, spoil) => {
      const file = open();
      file.add('a', CONTENT);
      file.close();
      const key = readFileSync(join(folder, 'journal.key'));
      spoil();
      const next = open();
      expect(next.size).toBe(0);
      next.add('b', CONTENT);
      next.close();
      expect(reports).toEqual([expect.stringContaining(`contains 1 record that cannot be read`)]);
      expect(reports[0]).toContain(why);
      const aside = readdirSync(folder).find((name) => name.startsWith('records.db.'));
      writeFileSync(join(folder, 'records.db'), readFileSync(join(folder, aside!)));
      writeFileSync(join(folder, 'journal.key'), key);
      const restored = open();
      expect(restored.oldest(9)).toEqual([{ id: 'a', content: CONTENT }]);
      restored.close();
    },
  );

  it('returns no content for a record that was changed on disk', () => {
    const file = open();
    file.add('a', CONTENT);
    file.close();
    const db = new DatabaseSync(join(folder, 'records.db'));
    db.exec('UPDATE records SET sealed = zeroblob(80)');
    db.close();
    const changed = open();
    expect(changed.oldest(9)).toEqual([{ id: 'a', content: undefined }]);
    changed.close();
  });

  it('refuses to open if the folder cannot be written', () => {
    writeFileSync(folder, 'a file where a folder should be');
    const refused = refusal(open);
    expect([refused.kind, refused.message]).toEqual(['unusable', 'cannot be used (EEXIST)']);
  });
});
