import { mediaTypeOf } from '../recognise.js';
import { restOfMedia } from './whole-media.js';

const u16 = (value: number): Buffer => Buffer.from(Uint16Array.of(value).buffer);
const u32 = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);
const big = (value: number): Buffer => u32(value).reverse();
const noise = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, at) => (at * 89 + 7) % 256));

function emf(): Buffer {
  const head = Buffer.alloc(100);
  Buffer.concat([u32(1), u32(100)]).copy(head);
  head.write(' EMF', 40, 'latin1');
  return Buffer.concat([head, u32(70), u32(16), noise(8), u32(14), u32(20), Buffer.alloc(12)]);
}

function wmf(isPlaceable: boolean): Buffer {
  const placement = isPlaceable ? Buffer.concat([Buffer.from('d7cdc69a', 'hex'), Buffer.alloc(18)]) : Buffer.alloc(0);
  const head = Buffer.concat([Buffer.from('\x01\0\x09\0\0\x03', 'latin1'), Buffer.alloc(12)]);
  const records = Buffer.concat([u32(5), u16(0x20b), noise(4), u32(3), u16(0)]);
  return Buffer.concat([placement, head, records]);
}

function font(magic: string): Buffer {
  const head = Buffer.concat([Buffer.from(`${magic}\0\x02`, 'latin1'), Buffer.alloc(6)]);
  const entry = (name: string, start: number, length: number): Buffer =>
    Buffer.concat([Buffer.from(name), big(0), big(start), big(length)]);
  return Buffer.concat([head, entry('glyf', 44, 40), entry('OS/2', 84, 18), noise(58), Buffer.alloc(2)]);
}

function webFont(magic: string): Buffer {
  const head = Buffer.concat([Buffer.from(`${magic}\0\x01\0\0`, 'latin1'), big(80), Buffer.from([0, 2])]);
  return Buffer.concat([head, noise(80 - head.length)]);
}

const SAMPLES: Readonly<Record<string, readonly [string, Buffer]>> = {
  'an enhanced metafile': ['image/emf', emf()],
  'a metafile': ['image/wmf', wmf(false)],
  'a placeable metafile': ['image/wmf', wmf(true)],
  'an icon': [
    'image/x-icon',
    Buffer.concat([Buffer.from([0, 0, 1, 0, 1, 0]), Buffer.alloc(8), u32(40), u32(22), noise(40)]),
  ],
  'a JPEG 2000 image': [
    'image/jp2',
    Buffer.concat([
      Buffer.from('\0\0\0\x0cjP  \r\n\x87\n', 'latin1'),
      big(20),
      Buffer.from('ftypjp2 \0\0\0\0jp2 '),
      big(0),
      Buffer.from('jp2c'),
      noise(30),
    ]),
  ],
  'a TrueType font': ['font', font('\0\x01\0\0')],
  'an OpenType font': ['font', font('OTTO')],
  'a WOFF font': ['font', webFont('wOFF')],
  'a WOFF 2 font': ['font', webFont('wOF2')],
};

describe('an image or a font in a document', () => {
  it.each(Object.entries(SAMPLES))('is recognised from its first to its last byte: %s', (_, [type, bytes]) => {
    expect(mediaTypeOf(bytes)).toBe(type);
    expect(restOfMedia(bytes, type)).toHaveLength(0);
  });

  it.each(Object.entries(SAMPLES))('is not recognised by its beginning alone: %s', (_, [type, bytes]) => {
    const forged = Buffer.concat([bytes.subarray(0, type === 'image/jp2' ? 12 : 48), noise(200)]);
    expect(mediaTypeOf(forged)).toBe(type);
    expect(restOfMedia(forged, type)).toBeUndefined();
  });

  it('is recognised in the formats that also occur in calls, with the data after its end', () => {
    const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
    expect(restOfMedia(gif, 'image/gif')).toHaveLength(0);
    expect(restOfMedia(Buffer.concat([gif, noise(9)]), 'image/gif')).toEqual(noise(9));
    expect(restOfMedia(Buffer.concat([gif.subarray(0, 20), noise(99)]), 'image/gif')).toBeUndefined();
  });
});
