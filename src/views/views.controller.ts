import { Controller, Delete, Get, HttpCode, Inject, Patch, Post, Req } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiManagers, ManagementAccess, type ActingManager } from '../access/index.js';
import { Records } from '../admin-audit/index.js';
import { readEventQuery } from '../events/index.js';
import { answerSchema, ApiQueries, bodySchema, invalidRequest, readBody, readQuery, WeirError } from '../http/index.js';
import { MOST_VIEWS, SavedViews, type SavedView } from './saved-views.js';
import { NEW_VIEW, VIEW, VIEW_CHANGE, VIEWS, VIEWS_QUERY } from './view-schemas.js';

/** Parameters in the URLs of pages that are not filters. */
const NO_FILTERS: ReadonlySet<string> = new Set(['env', 'range']);

/** Named filters for readers of events. */
@ApiTags('views')
@ApiManagers()
@ApiResponse({ status: 403, description: 'The token lacks the scope `events:read`.' })
@Controller('v1/views')
export class ViewsController {
  constructor(
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(SavedViews) private readonly views: SavedViews,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'listViews',
    summary: 'The views that the person or token has saved, and the shared views. Scope `events:read`.',
  })
  @ApiQueries(VIEWS_QUERY)
  @ApiResponse(answerSchema(200, 'The views, by name.', VIEWS))
  async list(@Req() request: FastifyRequest) {
    const manager = await this.authorize(request);
    return { data: (await this.views.list(manager, readQuery(VIEWS_QUERY, request.query).page)).map(shown) };
  }

  @Post()
  @HttpCode(201)
  @Records('view.created')
  @ApiOperation({ operationId: 'createView', summary: 'Save filters under a name. Scope `events:read`.' })
  @ApiBody(bodySchema(NEW_VIEW))
  @ApiResponse(answerSchema(201, 'The view.', VIEW))
  @ApiResponse({
    status: 422,
    description: 'The name is taken, or the query contains a parameter that is not a filter.',
  })
  async create(@Req() request: FastifyRequest) {
    const manager = await this.authorize(request);
    const { page, name, query, shared = false } = readBody(NEW_VIEW, request);
    checkQuery(query, manager);
    const made = await this.views.create(manager, page, { name, query, shared });
    if (made === 'too_many') {
      throw invalidRequest([{ path: 'name', message: `exceeds the limit of ${MOST_VIEWS} views` }]);
    }
    if (made === 'taken') throw taken();
    return shown(made);
  }

  @Patch(':id')
  @Records('view.changed')
  @ApiOperation({
    operationId: 'changeView',
    summary: 'Change one of your own views or, with the scope `account:admin`, any shared view. Scope `events:read`.',
  })
  @ApiParam({ name: 'id', description: 'Id of the view.' })
  @ApiBody(bodySchema(VIEW_CHANGE))
  @ApiResponse(answerSchema(200, 'The view after the change.', VIEW))
  @ApiResponse({ status: 404, description: 'There is no such view, or the caller may not change it.' })
  async change(@Req() request: FastifyRequest) {
    const manager = await this.authorize(request);
    const id = viewOf(request);
    const { name, query, shared } = readBody(VIEW_CHANGE, request);
    if (query !== undefined) checkQuery(query, manager);
    const changed = await this.views.change(manager, id, {
      ...(name === undefined ? {} : { name }),
      ...(query === undefined ? {} : { query }),
      ...(shared === undefined ? {} : { shared }),
    });
    if (changed === undefined) throw new WeirError('not_found');
    if (changed === 'taken') throw taken();
    return shown(changed);
  }

  @Delete(':id')
  @HttpCode(204)
  @Records('view.deleted')
  @ApiOperation({
    operationId: 'deleteView',
    summary: 'Delete one of your own views or, with the scope `account:admin`, any shared view. Scope `events:read`.',
  })
  @ApiParam({ name: 'id', description: 'Id of the view.' })
  @ApiResponse({ status: 204, description: 'The view is deleted.' })
  @ApiResponse({ status: 404, description: 'There is no such view, or the caller may not delete it.' })
  async delete(@Req() request: FastifyRequest): Promise<void> {
    if (!(await this.views.delete(await this.authorize(request), viewOf(request)))) throw new WeirError('not_found');
  }

  private authorize(request: FastifyRequest): Promise<ActingManager> {
    return this.access.authorize(request, 'events:read');
  }
}

/** @throws {WeirError} 422 for filters that the list of events would also refuse */
function checkQuery(query: string, manager: ActingManager): void {
  const filters: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    if (NO_FILTERS.has(name)) continue;
    filters[name] = Object.hasOwn(filters, name) ? [filters[name] ?? '', value].flat() : value;
  }
  try {
    readEventQuery(filters, manager);
  } catch (error) {
    if (!(error instanceof WeirError)) throw error;
    throw invalidRequest(
      (error.options.details ?? []).map(({ path, message }) => ({ path: 'query', message: `\`${path}\` ${message}` })),
    );
  }
}

function viewOf(request: FastifyRequest): string {
  const { id } = request.params as { readonly id: string };
  if (!z.uuid().safeParse(id).success) throw new WeirError('not_found');
  return id;
}

function taken(): WeirError {
  return invalidRequest([{ path: 'name', message: 'is the name of another view' }]);
}

function shown({ id, page, name, query, shared, by, createdAt }: SavedView) {
  return { id, page, name, query, shared, by, created_at: createdAt.toISOString() };
}
