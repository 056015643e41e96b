import { readDocument } from './read-document.js';

const WORDS = 'to mail@example.com, with some more words so that the part has a few lines, and then an end of it';
const LINES =
  Buffer.from(WORDS)
    .toString('base64')
    .match(/.{1,40}/g) ?? [];
const CODED = WORDS.replace('@', '=40').replace(/.{30}/g, '$&=\n');

/** A mail with an encoded part, as it is pasted into another text. */
function mailOf(coding: string, lines: readonly string[], before: string): Buffer {
  const mail = [
    'Content-Type: multipart/mixed; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    `Content-Transfer-Encoding: ${coding}`,
    '',
    ...lines,
    '--b--',
  ];
  return Buffer.from(`This mail came in:\n\n${mail.map((line) => `${before}${line}`.trimEnd()).join('\n')}\n`);
}

describe('an encoded part of a mail in another text', () => {
  it.each([
    ['indented', '    '],
    ['quoted', '> '],
    ['quoted twice', '> > '],
    ['not indented', ''],
  ])('is read if the mail is %s', async (_, before) => {
    for (const mail of [mailOf('base64', LINES, before), mailOf('quoted-printable', CODED.split('\n'), before)]) {
      const { texts, unread } = await readDocument(mail);
      expect(texts.find(({ place }) => place === 'part 1')?.text.trim()).toBe(WORDS);
      expect(unread).toEqual([]);
    }
  });

  it('is read after a header that continues on another line', async () => {
    const mail = `  Content-Transfer-Encoding:\n    base64\n\n  ${LINES.join('\n  ')}\n`;
    const { texts } = await readDocument(Buffer.from(mail));
    expect(texts.find(({ place }) => place === 'part 1')?.text).toBe(WORDS);
  });

  it.each(['', '> '])('ends only at a delimiter that begins like its header does (%j)', async (before) => {
    const coded = [...LINES.slice(0, 1), ' --bbbb', ...LINES.slice(1)].map((line) => before + line);
    const head = `${before}Content-Type: multipart/mixed; boundary="bbbb"\n${before}Content-Transfer-Encoding: base64`;
    const mail = `${head}\n${before.trim()}\n${coded.join('\n')}\n${before}--bbbb--\n${before}words`;
    const { texts } = await readDocument(Buffer.from(mail));
    // Readers ignore the hyphens in the content, and decode the four letters.
    expect(texts.map(({ text }) => text.slice(-40))).toContainEqual(WORDS.slice(-40));
  });
});

describe('the header of an encoded part that continues on other lines', () => {
  it.each([
    ['a line of white space', '\r\n \r\n base64'],
    ['much white space', `\r\n${' '.repeat(65)}base64`],
    ['white space in the line that separates it from the content', ' base64\r\n '],
  ])('is read with %s', async (_, value) => {
    const mail = `Content-Transfer-Encoding:${value}\r\n\r\n${LINES.join('\r\n')}\r\n`;
    const { texts, unread } = await readDocument(Buffer.from(mail));
    expect(texts.find(({ place }) => place === 'part 1')?.text).toBe(WORDS);
    expect(unread).toEqual([]);
  });
});

describe('an indented text that only mentions the header of an encoded part', () => {
  it.each([
    [
      'a key of YAML',
      'headers:\n  Content-Transfer-Encoding:\n    schema:\n      type: string\n  X-Other:\n    required: true\n',
    ],
    ['a template', 'Write this:\n\n    Content-Transfer-Encoding: {encoding}\n\n    {content}\n'],
    ['a sentence', 'Headers:\n  Content-Transfer-Encoding: the encoding of a part\n'],
  ])('is read as a plain text: %s', async (_, text) => {
    const { formats, unread } = await readDocument(Buffer.from(text));
    expect({ formats, unread }).toEqual({ formats: [], unread: [] });
  });

  it.each(['x-uuencode', 'x-uuencode; a=b', 'X-Uuencode (old)'])('is unread if it names %s', async (coding) => {
    const mail = `words\n\n> Content-Transfer-Encoding: ${coding}\r\n>\r\n> words\r\n`;
    expect((await readDocument(Buffer.from(mail))).unread).toEqual([expect.objectContaining({ why: 'malformed' })]);
  });
});
