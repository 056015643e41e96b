import { createServer } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Pool } from 'undici';

/** A proxy that only passes bytes on, with the same HTTP client as Weir: the baseline for `/proxy`. */
const upstream = new Pool(process.env['UPSTREAM']!, { connections: 4_096 });
createServer((request, response) => {
  if (request.url === '/healthz') {
    response.end('ok');
    return;
  }
  upstream
    .request({
      method: 'POST',
      path: '/v1/chat/completions',
      headers: Object.fromEntries(
        Object.entries(request.headers).filter(([name]) => name === 'content-type' || name.startsWith('x-bench-')),
      ),
      body: request,
    })
    .then(async ({ statusCode, headers, body }) => {
      response.writeHead(statusCode, headers);
      await pipeline(body, response);
    })
    .catch(() => response.destroy());
}).listen(Number(process.env['PORT']), '127.0.0.1');
