import { wordOf, zipOf } from '../../test/support/documents.js';
import { readDocument } from './read-document.js';
import type { DocumentReading } from './reading.js';

const SECRET = 'mail@example.com';
const [FIRST, SECOND] = [SECRET.slice(0, 7), SECRET.slice(7)];
const CARD = ['3782', '822463', '10005'].join('');
const HEAD = '<?xml version="1.0"?>';
const TYPES = { '[Content_Types].xml': `${HEAD}<Types/>` };
const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const ODF_TEXT = 'urn:oasis:names:tc:opendocument:xmlns:text:1.0';

const textOf = ({ texts }: DocumentReading): string => texts.map(({ text }) => text).join('\n\n');
const partOf = (xml: string): Buffer => zipOf({ ...TYPES, 'word/document.xml': HEAD + xml });

/** An indented Word document of two runs whose names begin with this prefix. */
function indented(prefix: string, declaration: string): Buffer {
  const run = (text: string): string => `\n<${prefix}r>\n<${prefix}t>${text}</${prefix}t>\n</${prefix}r>`;
  const runs = `<${prefix}p>${run(FIRST)}${run(SECOND)}\n</${prefix}p>`;
  return partOf(`<${prefix}document ${declaration}="${WORD}">\n${runs}\n</${prefix}document>`);
}

describe('a text in elements with unusual names', () => {
  it.each<[string, Buffer]>([
    ['in indented runs without a prefix', indented('', 'xmlns')],
    ['in indented runs with the prefix of OpenDocument', indented('text:', 'xmlns:text')],
    ['in indented runs with a hyphen and a dot in the prefix', indented('w-a.b:', 'xmlns:w-a.b')],
    ['in indented runs with letters beyond ASCII in the prefix', indented('é:', 'xmlns:é')],
    [
      'in tags with dots, without an XML declaration',
      zipOf({ ...TYPES, 'a.xml': `<x.a:p><x.a:t>${FIRST}</x.a:t><x.a:t>${SECOND}</x.a:t></x.a:p>` }),
    ],
    [
      'in tags that begin with a low line',
      zipOf({ 'a.xml': `<_x:p><_x:t>${FIRST}</_x:t><_x:t>${SECOND}</_x:t></_x:p>` }),
    ],
    ['in an attribute with the name of a property of all objects', wordOf(`<w:x __proto__="${SECRET}"/>`)],
    ['that HTML strikes through in part', Buffer.from(`<p>${FIRST}<s>${SECOND}</s></p>`)],
    [
      'that a page in XML continues after an empty element',
      Buffer.from(`${HEAD}<html><p>${FIRST}<style/>${SECOND.slice(0, 4)}<b/>${SECOND.slice(4)}</p></html>`),
    ],
    [
      'that Word continues after an empty element, with a page in a comment',
      partOf(`<!-- <html> --><d><p>${FIRST}<style/>${SECOND.slice(0, 4)}<b/>${SECOND.slice(4)}</p></d>`),
    ],
  ])('is found: %s', async (_, bytes) => {
    const reading = await readDocument(bytes);
    expect(textOf(reading)).toContain(SECRET);
    expect(reading.unread).toEqual([]);
  });
});

describe('white space between two texts of a paragraph', () => {
  const odf = (names: string, paragraph: string): Buffer =>
    zipOf({
      mimetype: 'application/vnd.oasis.opendocument.text',
      'content.xml': `${HEAD}<d ${names}>${paragraph}</d>`,
    });

  it.each<[string, Buffer]>([
    [
      'with an unusual prefix of OpenDocument',
      odf(`xmlns:t="${ODF_TEXT}"`, `<t:p><t:span>AMEX</t:span> <t:span>${CARD}</t:span></t:p>`),
    ],
    [
      'with a prefix of OpenDocument that is also another one',
      odf(
        `xmlns:text="${WORD}"`,
        `<text:p xmlns:text="${ODF_TEXT}"><text:a>AMEX</text:a> <text:a>${CARD}</text:a></text:p>`,
      ),
    ],
    ['as an element of OpenDocument', odf(`xmlns:text="${ODF_TEXT}"`, `<text:p>AMEX<text:s/>${CARD}</text:p>`)],
    ['as indentation of runs', wordOf(`<w:r><w:t>AMEX</w:t></w:r>\n<w:r><w:t>${CARD}</w:t></w:r>`)],
    ['in an entity', wordOf(`<w:r><w:t>AMEX</w:t>&#32;<w:t>${CARD}</w:t></w:r>`)],
    ['in the text of a run', wordOf(`<w:r>AMEX&#32;${CARD}</w:r>`)],
  ])('separates them: %s', async (_, bytes) => {
    expect(textOf(await readDocument(bytes))).toContain(`AMEX ${CARD}`);
  });
});

describe('the paragraphs and blocks of a book', () => {
  it.each(['<li><p>AMEX</p><p>#</p><p>2030</p></li>', '<a><div>AMEX</div><div>#</div><div>2030</div></a>'])(
    'are read line by line within another element: %s',
    async (blocks) => {
      const page = `${HEAD}<html><body>${blocks.replace('#', CARD)}</body></html>`;
      const reading = await readDocument(zipOf({ 'META-INF/container.xml': `${HEAD}<c/>`, 'a.xhtml': page }));
      expect(textOf(reading).split('\n')).toContain(CARD);
    },
  );
});
