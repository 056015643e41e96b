/**
 * The OpenAPI document and the page /docs, generated from the routes. The differences between providers are described here as well.
 */
import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Controller, Get, Headers, Inject, NotFoundException, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { withCodeSamples } from './code-samples.js';
import { DOCS_POLICY_HEADERS, docsPage } from './docs-page.js';
import { ApiDocument } from './openapi.js';

/** The description of the API: for programs, and as a page for people. */
@ApiExcludeController()
@Controller()
export class ApiDocsController {
  private page: Buffer | undefined;
  private plain: SentJson | undefined;
  private withSamples: SentJson | undefined;
  private files: ReturnType<typeof rendererFiles> | undefined;

  constructor(@Inject(ApiDocument) private readonly api: ApiDocument) {}

  @Get('openapi.json')
  openapi(@Headers('if-none-match') known: string | undefined, @Res() reply: FastifyReply): Promise<void> {
    this.plain ??= sentJson(this.api.document);
    return sendUnlessKnown(reply, this.plain, known);
  }

  @Get('docs')
  async docs(@Res() reply: FastifyReply): Promise<void> {
    this.page ??= Buffer.from(docsPage(this.api.document, this.renderer()?.plain));
    await reply.headers(DOCS_POLICY_HEADERS).type('text/html; charset=utf-8').send(this.page);
  }

  /** The same document with code samples for each operation, which only people need. */
  @Get('docs/openapi.json')
  documented(@Headers('if-none-match') known: string | undefined, @Res() reply: FastifyReply): Promise<void> {
    this.withSamples ??= sentJson(withCodeSamples(this.api.document));
    return sendUnlessKnown(reply, this.withSamples, known);
  }

  @Get('docs/redoc.js')
  async redoc(@Headers('accept-encoding') accepted: string | undefined, @Res() reply: FastifyReply): Promise<void> {
    const files = this.renderer();
    if (files === undefined) throw new NotFoundException();
    const isPacked = /\bgzip\b/i.test(accepted ?? '');
    await reply
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('vary', 'accept-encoding')
      .headers(isPacked ? { 'content-encoding': 'gzip' } : {})
      .type('text/javascript; charset=utf-8')
      .send(isPacked ? files.packed : files.plain);
  }

  private renderer(): ReturnType<typeof rendererFiles> {
    this.files ??= rendererFiles();
    return this.files;
  }
}

/** A JSON document as it is sent. It is serialised once, because anybody may request it at any rate. */
interface SentJson {
  readonly bytes: Buffer;
  readonly etag: string;
}

function sentJson(document: object): SentJson {
  const bytes = Buffer.from(JSON.stringify(document));
  return { bytes, etag: `"${hash('sha256', bytes, 'base64url')}"` };
}

/** @param known the entity tags of the versions that the client has */
async function sendUnlessKnown(reply: FastifyReply, { bytes, etag }: SentJson, known = ''): Promise<void> {
  void reply.headers({ etag, 'cache-control': 'no-cache' });
  if (known.includes(etag)) await reply.code(304).send();
  else await reply.type('application/json; charset=utf-8').send(bytes);
}

/** The files that the build places next to the server, found both from source and from the build. */
function rendererFiles(): { readonly plain: Buffer; readonly packed: Buffer } | undefined {
  const here = dirname(fileURLToPath(import.meta.url));
  const up = join(here, '..', '..', '..');
  const file = join(here.includes(`${sep}dist${sep}src${sep}`) ? up : join(up, 'dist'), 'api-page', 'redoc.js');
  return existsSync(file) ? { plain: readFileSync(file), packed: readFileSync(`${file}.gz`) } : undefined;
}
