import { sheetOf } from '../../test/support/documents.js';
import { readDocument } from './read-document.js';

const SECRET = 'mail@example.com';
const MANY = 30_000;
const deep = '<b>'.repeat(MANY) + '</i>'.repeat(MANY);

describe('markup of elements in elements', () => {
  it.each<[string, Buffer]>([
    ['HTML', Buffer.from(`<p>${deep}`)],
    ['XML', Buffer.from(`<?xml version="1.0"?><p>${deep}`)],
    ['a sheet', sheetOf({ cell: deep })],
    ['shared strings', sheetOf({ strings: deep })],
  ])('is unread if its tags cost far more than its size: %s', async (_, bytes) => {
    const { unread } = await readDocument(bytes, { ratio: 100_000 });
    expect(unread).toEqual([expect.objectContaining({ place: '', why: 'limit' })]);
  });

  it.each<[string, string]>([
    ['elements without ends, such as types in source code', 'List<String> names;\n'.repeat(5_000)],
    ['elements in elements, with their ends', `${'<b>'.repeat(5_000)}${'</b>'.repeat(5_000)}`],
    ['many elements beside each other', '<ul><li><b>x</b></li></ul>'.repeat(20_000)],
  ])('is read in full with %s', async (_, markup) => {
    const { texts, unread } = await readDocument(Buffer.from(`${markup}<p>mail&#64;example.com</p>`));
    expect(texts.find(({ place }) => place === 'as shown')?.text).toContain(SECRET);
    expect(unread).toEqual([]);
  });
});
