import { crc32, deflateRawSync } from 'node:zlib';
import { zipEntry, zipOf } from '../../test/support/documents.js';
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
  it.each<[string, Buffer, string]>([
    ['before the first file', archiveAmong({ before: unknown }), 'archive'],
    ['before an archive that was appended', Buffer.concat([unknown, zipOf({ 'a.txt': CONTENT })]), 'archive'],
    ['after the last file, as the signatures of a package', archiveAmong({ after: unknown }), 'archive'],
    [
      'after the descriptor of a file',
      archiveAmong({ after: Buffer.concat([descriptorOf(true, false), unknown]) }),
      'archive',
    ],
    ['after the end record', Buffer.concat([archiveAmong({}), unknown]), 'archive'],
    ['after the directory', archiveAmong({ beside: unknown }), 'malformed'],
  ])('are reported as unread if they are of no known format: %s', async (_, bytes, why) => {
    const { texts, unread } = await readDocument(bytes);
    expect(unread.map((one) => one.why)).toEqual([why]);
    expect(texts).toContainEqual({ place: 'file 1', text: 'harmless words' });
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
    ['words after the end record', Buffer.concat([archiveAmong({}), Buffer.from(`write to ${SECRET}\n`)])],
  ])('are read if they are text: %s', async (_, bytes) => {
    const { texts, unread } = await readDocument(bytes);
    expect(texts).toContainEqual({ place: 'outside of files', text: expect.stringContaining(SECRET) as string });
    expect(unread).toEqual([]);
  });

  it.each<[string, Buffer]>([
    ['zeros', archiveAmong({ before: Buffer.alloc(512), after: Buffer.alloc(9) })],
    ['zeros after the end record', Buffer.concat([archiveAmong({}), Buffer.alloc(99)])],
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

/** An archive of one file whose header can differ from its entry in the directory. */
function archiveOf({ packed, change }: { packed?: Buffer; change?: (header: Buffer) => void }): Buffer {
  const { local, entry } = zipEntry('a.txt', CONTENT, 0);
  const content = packed ?? deflateRawSync(CONTENT);
  const header = Buffer.from(local.subarray(0, 35));
  header.writeUInt32LE(content.length, 18);
  entry.writeUInt32LE(content.length, 20);
  change?.(header);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06\0\0\0\0\x01\0\x01', 0, 'latin1');
  end.writeUInt32LE(entry.length, 12);
  end.writeUInt32LE(header.length + content.length, 16);
  return Buffer.concat([header, content, entry, end]);
}

describe('a file of an archive', () => {
  const followed = (bytes: Buffer): Buffer => Buffer.concat([deflateRawSync(CONTENT), bytes]);

  it.each<[string, (header: Buffer) => void]>([
    ['is not compressed', (header) => header.writeUInt16LE(0, 8)],
    ['is encrypted', (header) => header.writeUInt16LE(0x801, 6)],
    ['is shorter', (header) => header.writeUInt32LE(3, 18)],
    ['unpacks to less', (header) => header.writeUInt32LE(3, 22)],
    ['has sizes in a field that is missing', (header) => header.writeUInt32LE(0xffffffff, 18)],
  ])('counts as malformed if only its header says that it %s', async (_, change) => {
    const { unread } = await readDocument(archiveOf({ change }));
    expect(unread).toEqual([expect.objectContaining({ place: '', why: 'malformed' })]);
  });

  it('is read if its header leaves its sizes to the descriptor', async () => {
    const change = (header: Buffer): void => {
      header.writeUInt16LE(0x808, 6);
      header.fill(0, 14, 26);
    };
    const { texts, unread } = await readDocument(archiveOf({ change }));
    expect(texts).toContainEqual({ place: 'file 1', text: 'harmless words' });
    expect(unread).toEqual([]);
  });

  it('is read with the text after the end of its compressed content', async () => {
    const { texts, unread } = await readDocument(archiveOf({ packed: followed(Buffer.from(`write to ${SECRET}`)) }));
    expect(texts).toContainEqual({ place: 'outside of files', text: `write to ${SECRET}` });
    expect(texts).toContainEqual({ place: 'file 1', text: 'harmless words' });
    expect(unread).toEqual([]);
  });

  it('is reported as unread in part if other bytes follow its compressed content', async () => {
    const { unread } = await readDocument(archiveOf({ packed: followed(unknown) }));
    expect(unread).toEqual([{ place: 'outside of files', why: 'archive', bytes: 256 }]);
  });

  it('is read with the text in its extra field', async () => {
    const field = Buffer.concat([Buffer.of(0x99, 0x99, SECRET.length, 0), Buffer.from(SECRET)]);
    const { local, entry } = zipEntry('a.txt', CONTENT, 0);
    const header = Buffer.from(local.subarray(0, 35));
    header.writeUInt16LE(field.length, 28);
    const end = Buffer.alloc(22);
    end.write('PK\x05\x06\0\0\0\0\x01\0\x01', 0, 'latin1');
    end.writeUInt32LE(entry.length, 12);
    end.writeUInt32LE(local.length + field.length, 16);
    const { texts } = await readDocument(Buffer.concat([header, field, local.subarray(35), entry, end]));
    expect(texts).toContainEqual({ place: 'extra fields', text: expect.stringContaining(SECRET) as string });
  });
});
