import { ApiError, GoogleGenAI } from '@google/genai';
import { appWithUpstream } from '../support/app-with-upstream.js';

const MEGABYTE = 1_048_576;
const START = '/upload/v1beta/files';
const PIECE = `${START}?upload_id=abc&upload_protocol=resumable`;

describe('the Google client, uploading a file through Weir', () => {
  const { app, upstream } = appWithUpstream();
  beforeEach(() => {
    upstream().requests.length = 0;
    upstream().answer((response, { headers }) => {
      const isStart = headers['x-goog-upload-command'] === 'start';
      const isLast = String(headers['x-goog-upload-command']).includes('finalize');
      response.writeHead(200, {
        'content-type': 'application/json',
        'x-goog-upload-status': isLast ? 'final' : 'active',
        ...(isStart ? { 'x-goog-upload-url': `http://${headers.host}${PIECE}` } : {}),
      });
      response.end(isLast ? '{"file":{"name":"files/1"}}' : '{}');
    });
  });

  const upload = (file: Blob): Promise<{ name?: string }> =>
    new GoogleGenAI({
      apiKey: 'provider-key',
      httpOptions: {
        baseUrl: `${app().url}/proxy/gemini`,
        headers: { 'X-Service-Key': app().bootstrap.keys.production },
      },
    }).files.upload({ file, config: { mimeType: file.type } });
  const sent = (): [url: string, bytes: number][] => upstream().requests.map(({ url, body }) => [url, body.length]);

  it('sends every piece through Weir, with its bytes unchanged', async () => {
    const file = new Blob(['a line of text\n'.repeat(600_000)], { type: 'text/plain' });
    expect(file.size).toBeGreaterThan(8 * MEGABYTE);
    expect(await upload(file)).toMatchObject({ name: 'files/1' });
    expect(sent().map(([url]) => url)).toEqual([START, PIECE, PIECE]);
    const pieces = upstream().requests.slice(1);
    expect(Buffer.concat(pieces.map(({ body }) => body)).equals(Buffer.from(await file.arrayBuffer()))).toBe(true);
  });

  it('receives the masks of Weir in a file, and its error for a file that a rule refuses', async () => {
    await upload(new Blob(['write to mail-1'], { type: 'text/plain' }));
    expect(upstream().last.body.toString()).toBe('write to [MAIL_1]');
    upstream().requests.length = 0;
    const error: unknown = await upload(new Blob(['this is ssn-1'], { type: 'text/plain' })).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 400 });
    expect(sent().map(([url]) => url)).toEqual([START]);
  });
});
