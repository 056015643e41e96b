import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderCopy } from './folder-copy.js';

const HOUR_MS = 3_600_000;

describe('A copy of a folder that is being written', () => {
  let root: string;
  let copy: FolderCopy;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'weir-copy-'));
    mkdirSync(join(root, 'from'));
    mkdirSync(join(root, 'to'));
    copy = new FolderCopy(join(root, 'from'), join(root, 'to'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const write = (text: string, at: Date): void => {
    writeFileSync(join(root, 'from', 'page'), text);
    utimesSync(join(root, 'from', 'page'), at, at);
  };

  it('contains the second of two writes with the same file time', async () => {
    const now = new Date();
    write('one', now);
    await copy.pass();
    write('two', now);
    await copy.pass();
    expect(readFileSync(join(root, 'to', 'page'), 'utf8')).toBe('two');
  });

  it('does not copy unchanged files again', async () => {
    write('one', new Date(Date.now() - HOUR_MS));
    expect(await copy.pass()).toBe(3);
    expect(await copy.pass()).toBe(0);
  });
});
