import { deflateSync } from 'node:zlib';
import { pdfDrawing, pdfStream } from '../../test/support/documents.js';
import { readDocument } from './read-document.js';

const TEXT = 'BT /F1 12 Tf 40 700 Td (some words) Tj ET';
const IMAGE = { place: 'images', type: 'image', bytes: 0 };

const sized = (width: number, height: number): string =>
  `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8`;

/** A page with words and this object of its resources. */
function drawing(object: Buffer, text = TEXT): Buffer {
  return pdfDrawing(`${text} q 90 0 0 90 40 40 cm /X1 Do Q`, {
    objects: [object],
    resources: '/XObject << /X1 1 0 R >>',
  });
}

const jpeg = (about: string): Buffer => pdfStream(Buffer.of(0xff, 0xd8, 0xff, 0xe0), `${about} /Filter /DCTDecode`);
const inline = (width: number, height: number): string =>
  `q BI /W ${width} /H ${height} /CS /G /BPC 8 /F /AHx\nID ${'7f'.repeat(width * height)}> EI Q`;

describe('an image in a page of a PDF file that also has text', () => {
  it.each<[string, Buffer]>([
    ['a JPEG', drawing(jpeg(sized(300, 200)))],
    [
      'compressed pixels',
      drawing(pdfStream(deflateSync(Buffer.alloc(10_000, 0xf7)), `${sized(100, 100)} /Filter /FlateDecode`)),
    ],
    ['a strip of an image', drawing(jpeg(sized(2_000, 8)))],
    ['a JPEG without its size', drawing(jpeg('/Type /XObject /Subtype /Image'))],
    ['pixels between the drawing operators', pdfDrawing(`${TEXT} ${inline(80, 80)}`)],
  ])('counts as an image: %s', async (_, bytes) => {
    const { media, unread } = await readDocument(bytes);
    expect(media).toEqual([IMAGE]);
    expect(unread).toEqual([]);
  });

  it.each<[string, Buffer]>([
    ['an icon', drawing(jpeg(sized(64, 64)))],
    ['an icon between the drawing operators', pdfDrawing(`${TEXT} ${inline(16, 16)}`)],
    ['a glyph of a font', drawing(pdfStream(Buffer.from(`9 0 0 0 9 9 d1\n${inline(80, 80)}`)))],
    ['words about images', pdfDrawing('BT /F1 12 Tf 40 700 Td (BI and ID) Tj ET')],
  ])('does not count if no words can be in it: %s', async (_, bytes) => {
    expect((await readDocument(bytes)).media).toEqual([]);
  });

  it('is not counted again with a page that is only an image', async () => {
    const { media } = await readDocument(drawing(jpeg(sized(300, 200)), ''));
    expect(media).toEqual([{ ...IMAGE, place: 'page 1' }]);
  });
});
