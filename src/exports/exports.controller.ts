import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { Controller, Delete, Get, HttpCode, Inject, Patch, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiManagers, ManagementAccess, type ActingManager } from '../access/index.js';
import { Records } from '../admin-audit/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { EXPORT_MEDIA_TYPES } from '../events/index.js';
import { answerSchema, bodySchema, invalidRequest, readBody, WeirError } from '../http/index.js';
import {
  BUCKET_TRIAL,
  EXPORT_CHANGE,
  EXPORT_JOB,
  EXPORT_LIST,
  exportView,
  NEW_EXPORT,
  TRIED_BUCKET,
} from './api-schemas.js';
import { ExportRefused } from './export-errors.js';
import { isOpen, type ExportJob } from './export-job.js';
import { ExportJobs } from './export-jobs.js';
import { ExportRunner } from './export-runner.js';
import { fileName } from './file-sink.js';
import { ExportPauses } from './pause-export.js';
import { PendingUploads } from './pending-uploads.js';
import { idOf, readDestination, readOrder } from './read-order.js';
import { tryBucket } from '../object-storage/index.js';

const RETRY_SECONDS = 60;
const unpack = promisify(inflateRaw);

/** Files of events of any size, written by the service in the background. */
@ApiTags('events')
@ApiManagers()
@ApiResponse({ status: 403, description: 'The token lacks the scope `events:read`.' })
@Controller('v1/exports')
export class ExportsController {
  constructor(
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(ExportJobs) private readonly jobs: ExportJobs,
    @Inject(ExportRunner) private readonly runner: ExportRunner,
    @Inject(ExportPauses) private readonly pauses: ExportPauses,
    @Inject(PendingUploads) private readonly uploads: PendingUploads,
    @Inject(APP_CONFIG) private readonly config: AppConfig,
  ) {}

  @Get()
  @ApiOperation({ operationId: 'listExports', summary: 'Exports, newest first. Scope `events:read`.' })
  @ApiResponse(answerSchema(200, 'The exports of the last 30 days, at most 200.', EXPORT_LIST))
  async list(@Req() request: FastifyRequest) {
    return { data: (await this.jobs.list(await this.authorize(request))).map(exportView) };
  }

  @Post()
  @HttpCode(201)
  @Records('export.created')
  @ApiOperation({
    operationId: 'createExport',
    summary: 'Start an export of matching events to a file. Scope `events:read`.',
    description:
      'The export runs in the background, continues after a restart, and contains the events received before the request. Two exports run at the same time, up to twenty are queued.',
  })
  @ApiBody(bodySchema(NEW_EXPORT))
  @ApiResponse(answerSchema(201, 'The export is queued.', EXPORT_JOB))
  @ApiResponse({ status: 422, description: 'A filter is unknown or unreadable; `details` names it.' })
  @ApiResponse({ status: 429, description: 'Too many exports are queued already.' })
  async create(@Req() request: FastifyRequest) {
    const manager = await this.authorize(request);
    const { order, credentials } = readOrder(readBody(NEW_EXPORT, request), manager, this.config.exports);
    const job = await this.jobs.create(manager, order, manager.actor, credentials).catch(tooMany);
    this.runner.look();
    return exportView(job);
  }

  @Post('buckets/test')
  @HttpCode(200)
  @Records('export.bucket_tried')
  @ApiOperation({
    operationId: 'tryExportBucket',
    summary: 'Test a bucket by writing and deleting an object of one byte. Scope `events:read`.',
    description: 'The credentials are used for this test only and not stored.',
  })
  @ApiBody(bodySchema(TRIED_BUCKET))
  @ApiResponse(answerSchema(200, 'The result of the test, even if it failed.', BUCKET_TRIAL))
  @ApiResponse({ status: 422, description: 'Exports to this endpoint are not allowed; `details` names the field.' })
  async tryBucket(@Req() request: FastifyRequest): Promise<z.infer<typeof BUCKET_TRIAL>> {
    const manager = await this.authorize(request);
    const { place, credentials } = readDestination(readBody(TRIED_BUCKET, request), this.config.exports, '');
    if (place.kind !== 's3' || credentials === undefined) throw new Error('a bucket is not a download');
    const { problem, object } = await tryBucket(place, credentials, this.config.exports.endpoints);
    await this.jobs.noteTrial(manager.accountId, manager.actor, place.bucket, problem === undefined);
    return { ok: problem === undefined, problem: problem ?? null, object };
  }

  @Get(':id')
  @ApiOperation({ operationId: 'getExport', summary: 'One export with its progress. Scope `events:read`.' })
  @ApiParam({ name: 'id', description: 'Id of the export.' })
  @ApiResponse(answerSchema(200, 'The export.', EXPORT_JOB))
  @ApiResponse({ status: 404, description: 'There is no such export.' })
  async get(@Req() request: FastifyRequest) {
    return exportView(await this.job(request, await this.authorize(request)));
  }

  @Get(':id/file')
  @ApiOperation({
    operationId: 'getExportFile',
    summary: 'The file of a finished export. Scope `events:read`.',
    description:
      'Each download is recorded in the admin audit log. `Range: bytes=N-` continues an interrupted download; other ranges are ignored.',
  })
  @ApiParam({ name: 'id', description: 'Id of the export.' })
  @ApiProduces(...Object.values(EXPORT_MEDIA_TYPES))
  @ApiResponse({ status: 200, description: 'The file.', schema: { type: 'string', format: 'binary' } })
  @ApiResponse({
    status: 206,
    description: 'The rest of the file, as requested by `Range`.',
    schema: { type: 'string', format: 'binary' },
  })
  @ApiResponse({ status: 404, description: 'There is no such export, or it has no file, or its file was deleted.' })
  @ApiResponse({ status: 409, description: 'The export is not done yet: try again after `Retry-After` seconds.' })
  async file(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const manager = await this.authorize(request);
    const job = await this.job(request, manager);
    if (isOpen(job)) {
      throw new WeirError('in_progress', { message: 'This export is not done yet', retryAfterSeconds: 1 });
    }
    if (!job.hasFile) throw new WeirError('not_found', { message: 'This export has no file, or its file was deleted' });
    await this.jobs.noteDownload(job, manager.actor);
    const from = startOf(request.headers.range, job.bytes);
    if (from > 0) reply.status(206).header('content-range', `bytes ${from}-${job.bytes - 1}/${job.bytes}`);
    const contents = this.access.whileAllowed(request, 'events:read', this.contents(job, from));
    await reply
      .type(EXPORT_MEDIA_TYPES[job.format])
      .header('accept-ranges', 'bytes')
      .header('cache-control', 'no-store')
      .header('content-length', String(job.bytes - from))
      .header('content-disposition', `attachment; filename="${fileName(job)}"`)
      .send(Readable.from(contents, { objectMode: false }));
  }

  @Patch(':id')
  @Records(['export.paused', 'export.resumed'], { orNothingBecause: 'an export in the requested state is unchanged' })
  @ApiOperation({
    operationId: 'changeExport',
    summary: 'Pause an export, or resume a paused or failed one. Scope `events:read`.',
    description:
      'A resumed export continues after the last row in its file. A paused export counts as a queued export. An export to a bucket cannot be paused, because the bucket would keep an incomplete file. A failed export can be resumed while `resumable` is true. A failed run of a schedule cannot be resumed, because the next run exports its events.',
  })
  @ApiParam({ name: 'id', description: 'Id of the export.' })
  @ApiBody(bodySchema(EXPORT_CHANGE))
  @ApiResponse(answerSchema(200, 'The export.', EXPORT_JOB))
  @ApiResponse({ status: 404, description: 'There is no such export.' })
  @ApiResponse({
    status: 422,
    description:
      'The export has ended and cannot be resumed, or it cannot be paused because its destination is a bucket.',
  })
  @ApiResponse({ status: 429, description: 'Too many exports are queued already.' })
  async change(@Req() request: FastifyRequest) {
    const manager = await this.authorize(request);
    const job = await this.job(request, manager);
    const { paused } = readBody(EXPORT_CHANGE, request);
    if (paused && !isOpen(job))
      throw invalidRequest([{ path: 'paused', message: 'is not possible for an export that has ended' }]);
    if (paused && job.destination.kind === 's3') {
      throw invalidRequest([
        { path: 'paused', message: 'is not possible for an export to a bucket; cancel the export instead' },
      ]);
    }
    if (!paused && job.state === 'failed' && !job.isResumable) {
      throw invalidRequest([{ path: 'paused', message: whyNotResumed(job) }]);
    }
    await this.pauses.set(manager, job.id, paused, manager.actor).catch(tooMany);
    if (paused) this.runner.end(job.id);
    else this.runner.look();
    return exportView(await this.job(request, manager));
  }

  @Delete(':id')
  @HttpCode(204)
  @Records(['export.cancelled', 'export.removed'])
  @ApiOperation({
    operationId: 'deleteExport',
    summary: 'Cancel a queued or running export, or remove an ended export from the list. Scope `events:read`.',
    description:
      'The file of the export is deleted in both cases, as is the incomplete upload of an export to a bucket.',
  })
  @ApiParam({ name: 'id', description: 'Id of the export.' })
  @ApiResponse({ status: 204, description: 'The export is cancelled or removed.' })
  @ApiResponse({ status: 404, description: 'There is no such export.' })
  async delete(@Req() request: FastifyRequest): Promise<void> {
    const manager = await this.authorize(request);
    const id = idOf(request);
    const remove = () => this.jobs.remove(manager, id, manager.actor);
    if (!(await this.uploads.removing(manager, [id], remove))) throw new WeirError('not_found');
    this.runner.end(id);
  }

  /**
   * Yields the file's bytes from an offset on. Throws if the file is deleted meanwhile, so that the client notices a truncated download.
   */
  private async *contents({ accountId, id, bytes }: ExportJob, from: number): AsyncGenerator<Uint8Array> {
    let sent = 0;
    for await (const packed of this.jobs.contents(accountId, id)) {
      const part = await unpack(packed);
      const asked = part.subarray(Math.min(part.length, Math.max(0, from - sent)));
      sent += part.length;
      if (asked.length > 0) yield asked;
    }
    if (sent !== bytes) throw new Error('the file of an export was deleted while it was sent');
  }

  private async job(request: FastifyRequest, manager: ActingManager): Promise<ExportJob> {
    const job = await this.jobs.find(manager, idOf(request));
    if (job === null) throw new WeirError('not_found');
    return job;
  }

  private authorize(request: FastifyRequest): Promise<ActingManager> {
    return this.access.authorize(request, 'events:read');
  }
}

function whyNotResumed({ schedule }: ExportJob): string {
  return schedule === undefined
    ? 'cannot be false for this failed export, because its rows are no longer stored; start a new export'
    : 'cannot be false for a failed run of a schedule; the next run exports its events';
}

/** @throws {WeirError} 429 if too many exports are queued; otherwise the error itself */
function tooMany(error: unknown): never {
  if (!(error instanceof ExportRefused)) throw error;
  throw new WeirError('rate_limit_exceeded', { message: error.message, retryAfterSeconds: RETRY_SECONDS });
}

/**
 * The offset at which a download resumes; 0 for the whole file. A range in another form, or one that begins after the end, is ignored.
 */
function startOf(range: string | undefined, bytes: number): number {
  const [, start] = /^bytes=(\d{1,15})-$/.exec(range ?? '') ?? [];
  const from = Number(start ?? 0);
  return from < bytes ? from : 0;
}
