import fastify from 'fastify';
import { ApiDocsController } from './api-docs.controller.js';
import type { ApiDocument } from './openapi.js';

describe('The OpenAPI document', () => {
  const documentOf = () => {
    const counts = { serialised: 0 };
    const paths = { toJSON: () => (counts.serialised++, {}) };
    const api = { document: { openapi: '3.0.0', paths } } as unknown as ApiDocument;
    return { counts, docs: new ApiDocsController(api) };
  };

  it('is serialised once, and not sent again to a client that has it', async () => {
    const { counts, docs } = documentOf();
    const server = fastify();
    server.get('/', (request, reply) => docs.openapi(request.headers['if-none-match'], reply));
    try {
      const first = await server.inject('/');
      const again = await server.inject('/');
      expect([first.statusCode, first.json(), again.body]).toEqual([200, { openapi: '3.0.0', paths: {} }, first.body]);
      expect(first.headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-cache',
      });
      const etag = String(first.headers.etag);
      const known = await server.inject({ url: '/', headers: { 'if-none-match': `W/"other", ${etag}` } });
      expect([known.statusCode, known.body]).toEqual([304, '']);
      const other = await server.inject({ url: '/', headers: { 'if-none-match': '"other"' } });
      expect(other.statusCode).toBe(200);
      expect(counts.serialised).toBe(1);
    } finally {
      await server.close();
    }
  });
});
