import { writeFrame, writeHeaders } from '../contents/index.js';
import { FramedEvents } from './framed-events.js';

const PAYLOAD = Buffer.from('{"text":"fine"}');
const typed = (contentType: string): Buffer =>
  writeFrame(writeHeaders({ ':event-type': 'chunk', ':content-type': contentType }), PAYLOAD);

/** The text of a frame, and whether it is unread content. */
function reading(frame: Buffer): { readonly text: string; readonly isUnread: boolean } {
  let isUnread = false;
  const text = new FramedEvents(() => void (isUnread = true)).push(frame);
  return { text, isUnread };
}

describe('a frame', () => {
  it.each([
    'application/json',
    'application/x-amz-json-1.1',
    'text/plain; charset=utf-8',
    'application/vnd.amazon.eventstream',
    'application/json;charset="UTF-8"',
  ])('is read with the content type %s', (contentType) => {
    const text = 'id: 0\nevent: chunk\ndata: {"text":"fine"}\n\n';
    expect(reading(typed(contentType))).toEqual({ text, isUnread: false });
  });

  it.each([
    'application/json; note=mail-1',
    'application/json; charset=utf-8; note="write to mail-1"',
    'application/json; charset=mail-1',
    'application/json; charset=utf-16',
    'application/123-45-6789',
    'write to mail-1',
  ])('is unread content with the content type %s, which may be a text', (contentType) => {
    expect(reading(typed(contentType))).toEqual({ text: 'id: 0\n:\n\n', isUnread: true });
  });

  it('is unread content if two headers have one name, because clients read one or the other', () => {
    const types = ['write to mail-1', 'text/plain'].map((type) => writeHeaders({ ':content-type': type }));
    expect(reading(writeFrame(Buffer.concat(types), PAYLOAD)).isUnread).toBe(true);
  });

  it('is unread content if a header is not UTF-8', () => {
    const headers = writeHeaders({ ':message-type': 'error', ':error-code': 'x', ':error-message': 'to mail-1 ~' });
    headers[headers.length - 1] = 0xff;
    expect(reading(writeFrame(headers, Buffer.alloc(0))).isUnread).toBe(true);
  });
});
