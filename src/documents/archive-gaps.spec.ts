import { crc32, deflateRawSync } from 'node:zlib';
import { zipEntry } from '../../test/support/documents.js';
import { readDocument } from './read-document.js';

const SECRET = 'mail@example.com';
const CONTENT = Buffer.from('harmless words');
const unknown = Buffer.from(Array.from({ length: 256 }, (_, at) => (at * 73) % 256));

/** An archive of one file, with other bytes around the file; all offsets are counted from the first byte. */
function archiveAmong({ before = '', after = '', beside = '' }: Record<string, string | Buffer>): Buffer {
  const [start, between] = [Buffer.from(before), Buffer.from(after)];
  const { local, entry } = zipEntry('a.txt', CONTENT, start.length);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06\0\0\0\0\x01\0\x01', 0, 'latin1');
  end.writeUInt32LE(entry.length, 12);
  end.writeUInt32LE(start.length + local.length + between.length, 16);
  return Buffer.concat([start, local, between, entry, Buffer.from(beside), end]);
}

/** What writers of streams put after a file: its checksum and its sizes. */
function descriptorOf(isMarked: boolean, isWide: boolean): Buffer {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32(CONTENT));
  const sizes = [deflateRawSync(CONTENT).length, CONTENT.length].map((size) => {
    const field = Buffer.alloc(isWide ? 8 : 4);
    field.writeUInt32LE(size);
    return field;
  });
  return Buffer.concat([Buffer.from(isMarked ? 'PK\x07\x08' : ''), checksum, ...sizes]);
}

describe('bytes of an archive that belong to none of its files', () => {
  it.each<[string, Buffer]>([
    ['before the first file', archiveAmong({ before: unknown })],
    ['after the last file', archiveAmong({ after: unknown })],
    ['after the descriptor of a file', archiveAmong({ after: Buffer.concat([descriptorOf(true, false), unknown]) })],
    ['after the directory', archiveAmong({ beside: unknown })],
  ])('are reported as unread if they are of no known format: %s', async (_, bytes) => {
    const { unread } = await readDocument(bytes);
    expect(unread.map(({ why }) => why)).toEqual(['malformed']);
  });

  it('are searched for readable pieces if they are of no known format', async () => {
    const { texts } = await readDocument(archiveAmong({ before: Buffer.concat([unknown, Buffer.from(SECRET)]) }));
    expect(texts.filter(({ text }) => text.includes(SECRET)).map(({ place }) => place)).toEqual([
      'outside of files > readable pieces',
    ]);
  });

  it.each<[string, Buffer]>([
    ['a script that starts the archive', archiveAmong({ before: `#!/usr/bin/env python3\n# ${SECRET}\n` })],
    ['words after the last file', archiveAmong({ after: `write to ${SECRET}\n` })],
  ])('are read if they are text: %s', async (_, bytes) => {
    const { texts, unread } = await readDocument(bytes);
    expect(texts).toContainEqual({ place: 'outside of files', text: expect.stringContaining(SECRET) as string });
    expect(unread).toEqual([]);
  });

  it.each<[string, Buffer]>([
    ['zeros', archiveAmong({ before: Buffer.alloc(512), after: Buffer.alloc(9) })],
    ['a descriptor', archiveAmong({ after: descriptorOf(true, false) })],
    ['a descriptor with long sizes', archiveAmong({ after: descriptorOf(true, true) })],
    ['a descriptor without its mark', archiveAmong({ after: descriptorOf(false, false) })],
    ['a descriptor with long sizes and without its mark', archiveAmong({ after: descriptorOf(false, true) })],
  ])('leave nothing unread if usual programs write them: %s', async (_, bytes) => {
    const { texts, unread } = await readDocument(bytes);
    expect(texts.map(({ place }) => place)).toEqual(['names of files', 'file 1']);
    expect(unread).toEqual([]);
  });
});
