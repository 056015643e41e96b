import { Readable } from 'node:stream';
import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerSchema, ApiQueries, invalidRequest, readQuery, startedStream, WeirError } from '../../http/index.js';
import { ManagementAccess } from '../management-access.js';
import { ApiManagers } from './api-managers.js';
import { AuditReader } from './audit-reader.js';
import { AUDIT_PAGE, AUDIT_PAGE_SIZE, AUDIT_QUERY, type AuditFormat } from './audit-schemas.js';

const TYPES: Readonly<Record<AuditFormat, string>> = {
  jsonl: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
};

/** The audit log of an account, for its administrators. */
@ApiTags('access')
@ApiManagers()
@ApiResponse({ status: 403, description: 'The token lacks the scope `account:admin`, or is bound to one environment.' })
@Controller('v1/audit')
export class AuditController {
  constructor(
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(AuditReader) private readonly audit: AuditReader,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'listAdminActions',
    summary:
      'List administrative changes with actor, time and origin, newest first. Scope `account:admin`, for all environments.',
    description:
      'A filter may have several values, separated by commas; entries must match one of them. With `format`, the answer is a stream of all matching entries. If the connection closes before the last chunk, the stream is incomplete; continue it with `cursor=<id of the last whole entry>`. CSV cells that a spreadsheet would interpret as a formula start with an apostrophe.',
  })
  @ApiQueries(AUDIT_QUERY)
  @ApiProduces('application/json', 'application/x-ndjson', 'text/csv')
  @ApiResponse(answerSchema(200, 'A page of entries; with `format`, one entry per line.', AUDIT_PAGE))
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { accountId, environment } = await this.access.authorize(request, 'account:admin');
    if (environment !== undefined) {
      throw new WeirError('forbidden', { message: 'Reading the audit log requires a token for all environments' });
    }
    const { limit, cursor, action, subject, actor, from, to, format } = readQuery(AUDIT_QUERY, request.query);
    const filter = {
      ...(action === undefined ? {} : { actions: action }),
      ...(subject === undefined ? {} : { subjects: subject }),
      ...(actor === undefined ? {} : { actors: actor }),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      ...(cursor === undefined ? {} : { before: cursor }),
    };
    if (format === undefined) {
      await reply.send(await this.audit.page(accountId, filter, limit ?? AUDIT_PAGE_SIZE));
      return;
    }
    if (limit !== undefined) throw invalidRequest([{ path: 'limit', message: 'cannot be combined with `format`' }]);
    const entries = this.access.whileAllowed(request, 'account:admin', this.audit.stream(accountId, filter, format));
    await reply
      .type(TYPES[format])
      .header('content-disposition', `attachment; filename="audit.${format}"`)
      .send(Readable.from(await startedStream(entries), { objectMode: false }));
  }
}
