import { sheetOf, zipOf } from '../../test/support/documents.js';
import { readDocument } from './read-document.js';
import type { DocumentReading } from './reading.js';

const SECRET = 'mail@example.com';
const [FIRST, SECOND] = [SECRET.slice(0, 7), SECRET.slice(7)];
const CARD = ['3782', '822463', '10005'].join('');
const HEAD = '<?xml version="1.0"?>';
const TYPES = { '[Content_Types].xml': `${HEAD}<Types/>` };
const CELL = '<c t="s"><v>0</v></c>';

const textOf = ({ texts }: DocumentReading): string => texts.map(({ text }) => text).join('\n\n');

function textAt({ texts }: DocumentReading, place: string): string | undefined {
  return texts.find((one) => one.place === place)?.text;
}

/** A workbook with this part of shared strings, and a sheet whose cells refer to them. */
function bookOf(strings: string, cells = CELL): Buffer {
  return zipOf({
    ...TYPES,
    'xl/sharedStrings.xml': HEAD + strings,
    'xl/worksheets/sheet1.xml': `${HEAD}<worksheet><sheetData><row>${cells}</row></sheetData></worksheet>`,
  });
}

describe('a shared string of a workbook', () => {
  it.each<[string, string]>([
    ['with a hyphen in its prefix', `<sst><x-a:si><x-a:t>${SECRET}</x-a:t></x-a:si></sst>`],
    ['with a dot in all prefixes', `<x.a:sst><x.a:si><x.a:t>${SECRET}</x.a:t></x.a:si></x.a:sst>`],
    ['around a comment with a tag', `<sst><si><t>${FIRST}<!--<si/>-->${SECOND}</t></si></sst>`],
    ['around a section of characters', `<sst><si><t>${FIRST}<![CDATA[${SECOND}]]></t></si></sst>`],
    [
      'in indented pieces with a hyphen in all prefixes',
      `<x-a:sst><x-a:si>\n<x-a:r><x-a:t>${FIRST}</x-a:t></x-a:r>\n<x-a:r><x-a:t>${SECOND}</x-a:t></x-a:r></x-a:si></x-a:sst>`,
    ],
  ])('is shown in the cell that refers to it: %s', async (_, strings) => {
    expect(textAt(await readDocument(bookOf(strings)), 'sheet 1')).toContain(SECRET);
  });

  it('has the same number whatever comments and sections of characters contain', async () => {
    const strings = `<sst><si><t>a<!--<si/>-->b</t></si><si><t><![CDATA[<si>]]></t></si><si><t>${SECRET}</t></si></sst>`;
    const reading = await readDocument(bookOf(strings, '<c t="s"><v>2</v></c>'));
    expect(textAt(reading, 'sheet 1')).toContain(SECRET);
    expect(reading.unread).toEqual([]);
  });

  it.each<[string, Buffer]>([
    ['strings in strings', bookOf('<sst><si><t>Redwing</t><si><t>Bluebird</t></si></si></sst>')],
    ['strings with another prefix', bookOf('<sst><x:si><t>Redwing</t></x:si><si><t>Bluebird</t></si></sst>')],
    [
      'two parts with strings',
      zipOf({
        ...TYPES,
        'customXml/item1.xml': `${HEAD}<sst><si><t>Redwing</t></si></sst>`,
        'xl/sharedStrings.xml': `${HEAD}<sst><si><t>Bluebird</t></si></sst>`,
        'xl/worksheets/sheet1.xml': `${HEAD}<worksheet>${CELL}</worksheet>`,
      }),
    ],
  ])('makes a workbook malformed if readers can count differently: %s', async (_, book) => {
    const reading = await readDocument(book);
    expect(textOf(reading)).toContain('Redwing');
    expect(textOf(reading)).toContain('Bluebird');
    expect(reading.unread).toEqual([expect.objectContaining({ place: '', why: 'malformed' })]);
  });
});

describe('a part of an Office file with the root element of a sheet or of shared strings', () => {
  it.each(['sst', 'x-a:sst', 'worksheet', 'x.a:worksheet'])('is read with all other texts: %s', async (root) => {
    const item = `${HEAD}<${root}><name>AMEX</name><card>${CARD}</card><year>2030</year></${root}>`;
    const parts = { ...TYPES, 'word/document.xml': `${HEAD}<d/>`, 'customXml/item1.xml': item };
    const reading = await readDocument(zipOf(parts));
    expect(textOf(reading).split('\n')).toContain(CARD);
    expect(reading.unread).toEqual([]);
  });

  it('is read with the values of its paragraphs joined', async () => {
    const runs = `<p><r><t>${FIRST}</t></r><r><t>${SECOND}</t></r></p>`;
    for (const root of ['sst', 'worksheet']) {
      const reading = await readDocument(zipOf({ ...TYPES, 'a.xml': `${HEAD}<${root}>${runs}</${root}>` }));
      expect(textOf(reading)).toContain(SECRET);
    }
  });

  it('is read with its comments, instructions and attributes', async () => {
    const comments = `<!-- to ${SECRET} --><?to ${CARD}?>`;
    for (const [place, book] of [
      ['cells', bookOf(`<sst note="to ${SECRET}">${comments}<si><t>x</t></si></sst>`)],
      ['sheet 1', sheetOf({ cell: `<c><v note="to ${SECRET}">1</v></c>`, after: comments })],
    ] as const) {
      const reading = await readDocument(book);
      expect(textAt(reading, `${place} > comments`)).toContain(SECRET);
      expect(textAt(reading, `${place} > comments`)).toContain(CARD);
      expect(textAt(reading, `${place} > attributes`)).toContain(SECRET);
    }
  });
});

describe('a value of a cell', () => {
  const inline = (item: string): string => `<c t="inlineStr"><is>${item}</is></c>`;
  it.each<[string, string, string]>([
    ['line breaks in entities', inline(`<t>AMEX&#10;${CARD}&#10;2030</t>`), `AMEX\n${CARD}\n2030`],
    [
      'a run of one blank',
      inline(`<r><t>AMEX</t></r><r><t xml:space="preserve"> </t></r><r><t>${CARD}</t></r>`),
      `AMEX ${CARD}`,
    ],
    ['a phonetic guide', inline(`<r><t>${FIRST}</t></r><rPh><t>x</t></rPh><r><t>${SECOND}</t></r>`), SECRET],
    ['the number of a character in entities', inline('<t>mail_x00&#52;0_example.com</t>'), SECRET],
    [
      'the number of a character in the result of a formula',
      '<c><f>A1</f><v>mail_x00&#52;0_example.com</v></c>',
      SECRET,
    ],
    ['a comment', `<c t="str"><v>${FIRST}<!-- x -->${SECOND}</v></c>`, SECRET],
    ['an element', `<c t="str"><v>${FIRST}<x/>${SECOND}</v></c>`, SECRET],
    ['a dot in its prefix', `<x.a:c t="inlineStr"><x.a:is><x.a:t>${SECRET}</x.a:t></x.a:is></x.a:c>`, SECRET],
  ])('is read as a whole with %s', async (_, cell, value) => {
    expect(textAt(await readDocument(sheetOf({ cell })), 'sheet 1')).toContain(value);
  });

  it('is not joined with a second value of the cell', async () => {
    const reading = await readDocument(sheetOf({ cell: `<c><v>AMEX</v><v>${CARD}</v></c>` }));
    expect(textAt(reading, 'sheet 1')?.split(/\s/)).toContain(CARD);
  });

  it('counts as text in each cell that shows it, up to the limit', async () => {
    const strings = `<si><t>${'x'.repeat(1_000)}</t></si>`;
    const few = await readDocument(sheetOf({ strings, cell: CELL.repeat(2) }), { textChars: 2_500 });
    expect(few.unread).toEqual([]);
    const many = await readDocument(sheetOf({ strings, cell: CELL.repeat(3) }), { textChars: 2_500 });
    expect(many.unread).toEqual([expect.objectContaining({ why: 'limit' })]);
  });
});

describe('a number of a cell', () => {
  const digits = ['536', '904', '399'].join('');
  it.each<[string, string, string]>([
    ['with an exponent', '3.78282246310005E14', CARD],
    ['with a short exponent', '5.36904399E8', digits],
    ['with the sign of its exponent', '3.78282246310005e+14', CARD],
    ['with a fraction of zeros', `${CARD}.0`, CARD],
    ['with white space', ` ${CARD}.00\n`, CARD],
  ])('is also read as written out: %s', async (_, written, whole) => {
    for (const type of ['', ' t="n"']) {
      const reading = await readDocument(sheetOf({ cell: `<c${type}><v>${written}</v></c>` }));
      expect(textAt(reading, 'sheet 1')?.split('\t')).toEqual(expect.arrayContaining([whole, written]));
    }
  });

  it('of OpenDocument is also read as written out', async () => {
    const cell = '<table:table-cell office:value="3.78282246310005E+14"><text:p>3.78E+14</text:p></table:table-cell>';
    const content = `${HEAD}<office:d>${cell}</office:d>`;
    const mimetype = 'application/vnd.oasis.opendocument.spreadsheet';
    const reading = await readDocument(zipOf({ mimetype, 'content.xml': content }));
    expect(textAt(reading, 'document > attributes')?.split('\n')).toContain(CARD);
  });

  it.each([
    ['short', '1.5E3'],
    ['with a fraction', '12345678.25'],
    ['beyond any account number', '1E300'],
    ['that is a text', '5.36904399E8', ' t="str"'],
  ])('is read only as it is written: %s', async (_, written, type = '') => {
    const reading = await readDocument(sheetOf({ cell: `<c${type}><v>${written}</v></c>` }));
    expect(textAt(reading, 'sheet 1')?.trim()).toBe(written);
  });
});
