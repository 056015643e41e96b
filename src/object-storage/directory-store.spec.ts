import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { directoryStore } from './directory-store.js';

describe('A directory of objects', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'weir-objects-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('has the names of an object and of its new folders on disk before the object counts as stored', async () => {
    const flushed: string[] = [];
    const store = directoryStore(root, (folder) => Promise.resolve(void flushed.push(folder)));
    await store.put('account/production/one.parquet', Buffer.from('1'));
    expect(flushed).toEqual([join(root, 'account', 'production'), join(root, 'account'), root]);
    flushed.length = 0;
    await store.put('account/staging/two.parquet', Buffer.from('2'));
    expect(flushed).toEqual([join(root, 'account', 'staging'), join(root, 'account')]);
    flushed.length = 0;
    await store.put('account/staging/three.parquet', Buffer.from('3'));
    expect(flushed).toEqual([join(root, 'account', 'staging')]);
    expect(Buffer.from((await store.get('account/staging/three.parquet'))!).toString()).toBe('3');
  });
});
