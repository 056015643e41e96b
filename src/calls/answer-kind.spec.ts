import { gzipSync } from 'node:zlib';
import { docxOf, zipOf } from '../../test/support/documents.js';
import { isReadAnswer, unreadBytesOf } from './answer-kind.js';
import type { AdmittedCall } from './proxied-call.js';

/**
 * A call on an unrecognised route.
 * @param isRestored whether a masked value has to be restored in the answer, so that the answer may change
 */
const callWith = (unread: 'refuse' | 'flag', isRestored: boolean): AdmittedCall =>
  ({
    policy: { policy: { unread: { governed: 'flag', other: unread }, rules: [], monitor: true }, detectors: [] },
    judgement: { restorable: new Map(isRestored ? [['[MAIL_1]', 'a@b.example']] : []) },
    target: { governed: false },
  }) as unknown as AdmittedCall;
const headOf = (contentType: string, bytes: Buffer | string, isTooLarge = false) => ({
  contentType,
  coding: undefined,
  isTooLarge,
  beginning: () => Promise.resolve(Buffer.from(bytes)),
});
const PACKED = Buffer.from(Array.from({ length: 256 }, (_, index) => (index * 167) % 256));
const TEXT = 'A text of some length, which a client reads like any other text, byte by byte.';

describe('an answer from an unrecognised route', () => {
  it.each(['application/octet-stream', 'application/pdf', 'image/png'])(
    'of type %s is read if the policy refuses unread content, whatever its first bytes are',
    async (type) => {
      for (const bytes of ['\x01', TEXT, PACKED])
        expect(await isReadAnswer(callWith('refuse', false), headOf(type, bytes))).toBe(true);
    },
  );

  it('is read if a rule could change it and it begins like a text, even if one byte is not text', async () => {
    for (const bytes of [TEXT, `\x01${TEXT}`, `${TEXT}\0`, 'a\0']) {
      expect(await isReadAnswer(callWith('flag', true), headOf('application/octet-stream', bytes))).toBe(true);
      expect(await isReadAnswer(callWith('flag', false), headOf('application/octet-stream', bytes))).toBe(false);
    }
    expect(await isReadAnswer(callWith('flag', true), headOf('application/octet-stream', PACKED))).toBe(false);
  });

  it.each([
    ['PDF', Buffer.concat([Buffer.from('%PDF-1.7\n'), PACKED])],
    ['DOCX', docxOf({ paragraphs: [['words']] })],
    ['ZIP', zipOf({ 'a.txt': 'words' })],
    ['gzip', gzipSync(TEXT.repeat(100))],
  ])(
    'is read if a rule could change it and it begins like a document in %s, unless it is announced as too large',
    async (_format, bytes) => {
      for (const type of ['application/octet-stream', 'application/pdf']) {
        expect(await isReadAnswer(callWith('flag', true), headOf(type, bytes))).toBe(true);
        expect(await isReadAnswer(callWith('flag', true), headOf(type, bytes, true))).toBe(false);
        expect(await isReadAnswer(callWith('flag', false), headOf(type, bytes))).toBe(false);
      }
    },
  );

  it('is read if a rule could change it and it begins like text in UTF-16', async () => {
    for (const text of [`\ufeff${TEXT}`, TEXT, `\u0100${TEXT}`])
      for (const bytes of [Buffer.from(text, 'utf16le'), Buffer.from(text, 'utf16le').swap16()])
        expect(await isReadAnswer(callWith('flag', true), headOf('application/octet-stream', bytes))).toBe(true);
  });

  it('is listed as unread if its content would matter to a rule, and it is not an image, audio or video', () => {
    expect(unreadBytesOf(callWith('flag', true), 'application/pdf', 12)).toBe(12);
    expect(unreadBytesOf(callWith('flag', true), 'audio/mpeg', 12)).toBeUndefined();
    expect(unreadBytesOf(callWith('flag', true), 'application/pdf', 0)).toBeUndefined();
    expect(unreadBytesOf(callWith('flag', false), 'application/pdf', 12)).toBeUndefined();
    expect(unreadBytesOf(callWith('flag', false), 'application/vnd.amazon.eventstream', 12)).toBe(12);
  });
});
