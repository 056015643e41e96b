/**
 * The dashboard's files: built pages, scripts and styles, served under a strict content security policy. This code does not use data of
 * accounts; the pages use the API like any client.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DASHBOARD_HEADERS } from './dashboard-headers.js';

const ASSETS_PREFIX = '/assets/';
/** Paths of APIs, and of pages without script: an unknown path below them is 404, even for browsers. */
export const NOT_OF_THE_DASHBOARD =
  /^\/(?:v1|auth|proxy|webhooks|docs|openapi\.json|healthz|readyz|metrics|assets|csp-reports)(?:[/?#]|$)/i;
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** The output folder of the dashboard's build, found from the sources as well as from the compiled files. */
export function builtDashboard(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const made = `${sep}dist${sep}src${sep}dashboard`;
  return here.endsWith(made) ? join(here, '..', '..', 'dashboard') : join(here, '..', '..', 'dist', 'dashboard');
}

/**
 * Serves the dashboard: its assets from `/assets/`, and its single page for every address that a browser opens and no route serves.
 * Without a built dashboard the API still works, and the page explains what to do.
 *
 * @param folder with `index.html` and `assets/`
 */
export async function serveDashboard(server: FastifyInstance, folder = builtDashboard()): Promise<void> {
  const index = join(folder, 'index.html');
  const html = existsSync(index) ? readFileSync(index, 'utf8') : undefined;
  if (html === undefined) {
    server.get(`${ASSETS_PREFIX}*`, (_request, reply) => reply.callNotFound());
  } else {
    await server.register(fastifyStatic, {
      root: join(folder, 'assets'),
      prefix: ASSETS_PREFIX,
      decorateReply: false,
      preCompressed: true,
      index: false,
      dotfiles: 'ignore',
      // Compressed files are next to the originals and are not requested by name.
      allowedPath: (path) => !/\.(?:br|gz)$/.test(path),
      cacheControl: false,
      setHeaders: (reply) => void reply.header('cache-control', IMMUTABLE),
    });
  }
  server.addHook('onRequest', (request, reply, done) => {
    if (isPageOfDashboard(request)) void sendPage(reply, html);
    else done();
  });
}

function isPageOfDashboard({ is404, method, url, headers }: FastifyRequest): boolean {
  if (!is404 || (method !== 'GET' && method !== 'HEAD')) return false;
  return !NOT_OF_THE_DASHBOARD.test(url) && /\btext\/html\b/i.test(headers.accept ?? '');
}

function sendPage(reply: FastifyReply, html: string | undefined): FastifyReply {
  const shown = reply.type('text/html; charset=utf-8').headers(DASHBOARD_HEADERS);
  return html === undefined ? shown.code(503).send(NOT_BUILT) : shown.code(200).send(html);
}

const NOT_BUILT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Weir</title></head>
<body><h1>The dashboard could not be built</h1>
<p>The API works. Run <code>npm run build</code>, whose output names the error.</p></body></html>
`;
