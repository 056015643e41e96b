import { deflateSync } from 'node:zlib';
import { pdfDrawing, pdfStream, type PdfBeside } from '../../test/support/documents.js';
import { readDocument } from './read-document.js';

const SECRET = 'mail@example.com';
const HELVETICA = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
const FONT_1 = '/Resources << /Font << /F1 1 0 R >> >>';
const TILE = '/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 200 20] /XStep 200 /YStep 20';
const FORM = '/Type /XObject /Subtype /Form /BBox [0 0 600 700]';
const words = (text: string): string => `BT /F1 12 Tf 5 5 Td (${text}) Tj ET`;
const packed = (content: string, about: string): Buffer =>
  pdfStream(deflateSync(content), `/Filter /FlateDecode ${about}`);

/** A font whose glyphs are drawings. Its letters are a, b, c and so on, and the objects of their drawings begin at `first`. */
function drawnFont(count: number, first: number): string {
  const names = Array.from({ length: count }, (_, at) => `/g${at}`);
  const drawings = names.map((name, at) => `${name} ${first + at} 0 R`).join(' ');
  return `<< /Type /Font /Subtype /Type3 /FontBBox [0 0 100 100] /FontMatrix [0.01 0 0 0.01 0 0] /CharProcs << ${drawings} >> /Encoding << /Type /Encoding /Differences [97 ${names.join(' ')}] >> /FirstChar 97 /LastChar ${96 + count} /Widths [${'100 '.repeat(count)}] ${FONT_1} >>`;
}

/** A page that shows the letters of a font whose glyphs draw these texts. */
function lettersDrawing(texts: readonly string[]): Buffer {
  const shown = Array.from(texts, (_, at) => String.fromCharCode(97 + at)).join('');
  const form = packed(`BT /F2 12 Tf 5 5 Td (${shown}) Tj ET`, `${FORM} /Resources << /Font << /F2 3 0 R >> >>`);
  const drawings = texts.map((text) => packed(`100 0 d0 ${words(text)}`, ''));
  const objects = [HELVETICA, form, drawnFont(texts.length, 4), ...drawings];
  return pdfDrawing('/X1 Do', { objects, resources: '/XObject << /X1 2 0 R >>' });
}

const tiled = (operators: string, ...objects: Buffer[]): Buffer =>
  pdfDrawing(`${operators} 0 0 600 700 re B`, {
    objects: [HELVETICA, ...objects],
    resources: '/Pattern << /P1 2 0 R >>',
  });

const annotated = (about: string): Buffer =>
  pdfDrawing('', {
    objects: [
      HELVETICA,
      `<< /Type /Annot /Subtype /Stamp ${about} /Rect [0 0 200 20] /AP << /N 3 0 R >> >>`,
      packed(words(SECRET), `${FORM} ${FONT_1}`),
    ],
    page: '/Annots [2 0 R]',
  });

describe('a text that a PDF file draws outside of the content of its pages', () => {
  const tile = packed(words(SECRET), `${TILE} ${FONT_1}`);
  const outer = packed('/Pattern cs /P2 scn 0 0 9 9 re f', `${TILE} /Resources << /Pattern << /P2 3 0 R >> >>`);
  const around = packed('/X2 Do', `${TILE} /Resources << /XObject << /X2 3 0 R >> >>`);

  it.each<[string, Buffer]>([
    ['in the tile of a pattern that fills', tiled('/Pattern cs /P1 scn', tile)],
    ['in the tile of a pattern that strokes', tiled('/Pattern CS /P1 SCN', tile)],
    ['in a tile of a tile', tiled('/Pattern cs /P1 scn', outer, tile)],
    ['in a form in a tile', tiled('/Pattern cs /P1 scn', around, packed(words(SECRET), `${FORM} ${FONT_1}`))],
    ['in a glyph', lettersDrawing([SECRET])],
    ['in glyphs that each draw another letter', lettersDrawing([...SECRET])],
    ['in the appearance of a stamp', annotated('')],
    ['in the appearance of a hidden stamp', annotated('/F 2')],
    ['in the appearance of a stamp that is only printed', annotated('/F 36')],
  ])('is found: %s', async (_, bytes) => {
    const { texts, unread } = await readDocument(bytes);
    expect(texts.filter(({ text }) => text.includes(SECRET)).map(({ place }) => place)).toContain('page 1 > as drawn');
    expect(unread).toEqual([]);
  });

  it('is read once if a page draws a pattern many times', async () => {
    const many = Array.from({ length: 50 }, () => '/Pattern cs /P1 scn 0 0 9 9 re f').join('\n');
    const { texts } = await readDocument(tiled(`${many}\n`, tile));
    const drawn = texts.find(({ place }) => place === 'page 1 > as drawn')?.text ?? '';
    // Each reading of the page contains the text once: with and without line breaks.
    expect(drawn.split(SECRET)).toHaveLength(3);
  });
});

describe('a string of a PDF file under a key that pdfjs does not read', () => {
  const signature = `<< /Type /Sig /Filter /Adobe.PPKLite /Reason (to ${SECRET}) /Contents <00> >>`;
  const field = '<< /Type /Annot /Subtype /Widget /FT /Sig /T (sig) /Rect [0 0 9 9] /V 1 0 R >>';
  const metadata = packed(
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><a>mail&#64;example.com</a></x:xmpmeta>`,
    '/Type /Metadata /Subtype /XML',
  );

  it.each<[string, PdfBeside]>([
    ['the reason of a signature', { objects: [signature, field], page: '/Annots [2 0 R]', catalog: '/AcroForm << /Fields [2 0 R] >>' }],
    ['the name of a layer', { objects: [`<< /Type /OCG /Name (${SECRET}) >>`], catalog: '/OCProperties << /OCGs [1 0 R] /D << >> >>' }],
    ['the title of an article', { objects: [`<< /Type /Thread /I << /Title (${SECRET}) >> >>`], catalog: '/Threads [1 0 R]' }],
    ['private data', { page: `/PieceInfo << /App << /Private << /Any (${SECRET}) >> >> >>` }],
    ['in an object stream', { objects: [packed(`9 0 << /Any (${SECRET}) >>`, '/Type /ObjStm /N 1 /First 4')] }],
    ['the metadata of a page', { objects: [metadata], page: '/Metadata 1 0 R' }],
  ])('is found: %s', async (_, beside) => {
    const { texts, unread } = await readDocument(pdfDrawing(words('shown'), beside));
    expect(texts.map(({ text }) => text).join('\n\n')).toContain(SECRET);
    expect(unread).toEqual([]);
  }); // prettier-ignore

  it('is not reported a second time if pdfjs reads it', async () => {
    const note = `<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] /Contents (${SECRET}) >>`;
    const { texts } = await readDocument(pdfDrawing(words('shown'), { objects: [note], page: '/Annots [1 0 R]' }));
    expect(texts.filter(({ text }) => text.includes(SECRET)).map(({ place }) => place)).toEqual([
      'page 1 > notes and fields',
    ]);
  });
});
