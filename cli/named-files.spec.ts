import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withNewFile, writeAt } from './named-files.js';

describe('A new file that an argument names', () => {
  let cwd: string;
  beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), 'weir-files-'))));
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));

  const filled = (text: string, then: () => void = () => undefined) =>
    withNewFile('out.txt', { cwd }, false, async (file) => {
      await writeAt(file, Buffer.from(text), 0, 'out.txt');
      then();
    });
  const fail = (): never => {
    throw new Error('refused');
  };

  it('is left only if something was written into it, so that a failed command can be repeated', async () => {
    await expect(filled('', fail)).rejects.toThrow('refused');
    expect(readdirSync(cwd)).toEqual([]);
    await expect(filled('first', fail)).rejects.toThrow('refused');
    expect(readFileSync(join(cwd, 'out.txt'), 'utf8')).toBe('first');
    await expect(filled('second')).rejects.toThrow('out.txt already exists; to continue it: --resume');
  });

  it('is not removed if it was there before', async () => {
    await filled('');
    await expect(withNewFile('out.txt', { cwd }, true, () => Promise.reject(new Error('refused')))).rejects.toThrow();
    expect(readdirSync(cwd)).toEqual(['out.txt']);
  });

  it('cannot be stdout', async () => {
    await expect(withNewFile('-', { cwd }, false, fail)).rejects.toThrow('- cannot stand for stdout here: name a file');
  });

  it('gets all bytes, even if the system writes only a part at a time', async () => {
    let written = '';
    const write = (bytes: Buffer, from: number, length: number) => {
      const bytesWritten = Math.min(length, 3);
      written += bytes.toString('utf8', from, from + bytesWritten);
      return Promise.resolve({ bytesWritten });
    };
    await writeAt({ write } as unknown as FileHandle, Buffer.from('0123456789'), 0, 'out.txt');
    expect(written).toBe('0123456789');
  });
});
