import { Controller, Get, Inject, Req } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { AdminAudit, type AdminAction } from '../../admin-audit/index.js';
import { answerSchema, ApiQueries, readQuery, WeirError } from '../../http/index.js';
import { ManagementAccess } from '../management-access.js';
import { ApiManagers } from './api-managers.js';
import { AUDIT_PAGE, AUDIT_PAGE_SIZE, AUDIT_QUERY, type AUDIT_ENTRY } from './audit-schemas.js';

/** Who changed what of the account, for whoever administers all of it. */
@ApiTags('access')
@ApiManagers()
@ApiResponse({ status: 403, description: 'The token lacks the scope `account:admin`, or is bound to one environment.' })
@Controller('v1/audit')
export class AuditController {
  constructor(
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(AdminAudit) private readonly audit: AdminAudit,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'listAdminActions',
    summary: 'Who changed what, when and from where, newest first. Scope `account:admin`, for all environments.',
  })
  @ApiQueries(AUDIT_QUERY)
  @ApiResponse(answerSchema(200, 'A page of entries.', AUDIT_PAGE))
  async list(@Req() request: FastifyRequest): Promise<z.infer<typeof AUDIT_PAGE>> {
    const manager = await this.access.authorize(request, 'account:admin');
    if (manager.environment !== undefined) {
      throw new WeirError('forbidden', { message: 'The audit log is read with a token for all environments' });
    }
    const { limit = AUDIT_PAGE_SIZE, cursor, action, subject } = readQuery(AUDIT_QUERY, request.query);
    const entries = await this.audit.list(manager.accountId, {
      limit: limit + 1,
      ...(cursor === undefined ? {} : { before: cursor }),
      ...(action === undefined ? {} : { action }),
      ...(subject === undefined ? {} : { subject }),
    });
    const page = entries.slice(0, limit);
    return { data: page.map(view), next_cursor: entries.length > limit ? (page.at(-1)?.id ?? null) : null };
  }
}

function view(entry: AdminAction): z.infer<typeof AUDIT_ENTRY> {
  return {
    id: entry.id,
    at: entry.at.toISOString(),
    action: entry.action,
    actor: { kind: entry.actorKind, id: entry.actorId },
    subject: entry.subject,
    details: { ...entry.details },
    from: { address: entry.address, user_agent: entry.userAgent },
  };
}
