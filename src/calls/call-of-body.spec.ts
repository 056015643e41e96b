import type { DecodedCall } from '../core/index.js';
import { DocumentReader } from '../documents/index.js';
import { bodyHeaders } from './body-headers.js';
import { callOfBody, isPromisedJson } from './call-of-body.js';
import { readBody } from './read-body.js';

const OTHER = { governed: false, takesUploads: false };
const UPLOADS = { governed: false, takesUploads: true };
const GOVERNED = { governed: true, takesUploads: false };
const JSON_TYPE = ['Content-Type', 'application/json; charset=utf-8'];

describe('A body has to be JSON', () => {
  it.each([
    ['on a governed route, whatever its content type', GOVERNED, ['content-type', 'text/plain']],
    ['on a governed route, also as a piece of a file', GOVERNED, [...JSON_TYPE, 'x-goog-upload-command', 'upload']],
    ['if its content type is that of JSON', OTHER, JSON_TYPE],
    ['if its content type is that of JSON, also on a route for files', UPLOADS, JSON_TYPE],
    ['if it describes a file that is uploaded next', UPLOADS, [...JSON_TYPE, 'X-Goog-Upload-Command', 'start']],
    ['if it is called a piece of a file on another route', OTHER, [...JSON_TYPE, 'x-goog-upload-command', 'upload']],
  ])('%s', (_when, target, headers) => {
    expect(isPromisedJson(target, bodyHeaders(headers))).toBe(true);
  });

  it.each(['upload', 'upload, finalize', 'Upload,finalize'])(
    'unless it is a piece of a file, which clients of Google send as JSON: %s',
    (command) => {
      expect(isPromisedJson(UPLOADS, bodyHeaders([...JSON_TYPE, 'X-Goog-Upload-Command', command]))).toBe(false);
    },
  );

  it('unless it has another content type on another route', () => {
    expect(isPromisedJson(OTHER, bodyHeaders(['content-type', 'text/plain']))).toBe(false);
  });
});

it('A second command about a file is refused, because servers differ in the one that they obey', () => {
  const twice = ['x-goog-upload-command', 'start', 'X-Goog-Upload-Command', 'upload'];
  expect(() => bodyHeaders(twice)).toThrow(expect.objectContaining({ type: 'invalid_request' }));
});

describe('Content that cannot be read, on a route that is not recognised', () => {
  const documents = new DocumentReader();
  const target = { ...OTHER, dialect: 'generic', facts: {} } as const;
  const bytes = Buffer.from(Array.from({ length: 600 }, (_, at) => (at * 7919 + (at >> 3) * 131 + 7) % 256));
  const document = { format: 'pdf', name: 'd', source: { bytes: bytes.toString('base64') } };
  const read = (body: unknown): Promise<DecodedCall> =>
    callOfBody(readBody(Buffer.from(JSON.stringify(body)), undefined, true), target, [], documents, ['here']);

  it.each<[string, object]>([
    ['Converse', { messages: [{ role: 'user', content: [{ document }] }] }],
    ['a batch', { requests: [{ custom_id: 'r', params: { messages: [{ role: 'user', content: [{ document }] }] } }] }],
    ['a conversation to be summarised', { input: [{ role: 'user', content: [document] }] }],
    ['items of a conversation', { items: [{ type: 'message', role: 'user', content: [document] }] }],
    ['a message of a thread', { role: 'user', content: [document] }],
    ['a document to be read', { document }],
  ])('is content for a model if the body contains prompts: %s', async (_what, body) => {
    const { contents } = await read(body);
    expect(contents).toMatchObject({ governed: true, unread: [{ why: 'binary', bytes: bytes.length }] });
  });

  it('is other content if the body contains no prompts', async () => {
    expect((await read({ name: 'x', file: document })).contents).toMatchObject({ governed: false });
  });
});
