import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiExcludeController, type OpenAPIObject } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ApiDocument } from './openapi.js';
import { DOCS_CONTENT_SECURITY_POLICY, renderDocs } from './render-docs.js';

@ApiExcludeController()
@Controller()
export class ApiDocsController {
  private page: string | undefined;

  constructor(@Inject(ApiDocument) private readonly api: ApiDocument) {}

  @Get('openapi.json')
  openapi(): OpenAPIObject {
    return this.api.document;
  }

  @Get('docs')
  async docs(@Res() reply: FastifyReply): Promise<void> {
    this.page ??= renderDocs(this.api.document);
    await reply
      .header('content-security-policy', DOCS_CONTENT_SECURITY_POLICY)
      .type('text/html; charset=utf-8')
      .send(this.page);
  }
}
