import type { SqlSession } from '../../database/index.js';
import { PartDiffers } from './archive-week.js';
import type { ArchivePart } from './catalogue.js';
import { PartChanged, rewritePart, type ArchiveFiles } from './rewrite-part.js';

const PART = { accountId: 'account', id: 'part', key: 'key' } as ArchivePart;
const files = { store: { get: () => Promise.resolve(null) } } as unknown as ArchiveFiles;

/** A session that finds these parts. */
const finding = (parts: readonly object[]) => ({ query: () => Promise.resolve(parts) }) as unknown as SqlSession;

describe('A part whose object is missing', () => {
  it('was replaced by another process if it is no longer archived', async () => {
    const rewritten = rewritePart(files, finding([]), PART, () => Promise.resolve());
    await expect(rewritten).rejects.toBeInstanceOf(PartChanged);
  });

  it('is reported as missing if it is still archived', async () => {
    const rewritten = rewritePart(files, finding([{ id: 'part' }]), PART, () => Promise.resolve());
    await expect(rewritten).rejects.toBeInstanceOf(PartDiffers);
  });
});
