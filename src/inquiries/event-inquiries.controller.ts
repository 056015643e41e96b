import { Controller, Get, Inject, Req } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ApiManagers, ManagementAccess, type ActingManager } from '../access/index.js';
import { capturedId, isTestId } from '../authoring/index.js';
import { readRecordedDecision, type RecordedDecision } from '../core/index.js';
import { DeployedTexts, type LocatedPolicy } from '../deployments/index.js';
import { EVENT_PLACE_QUERY, namedEvent, ReplicaEventReader, type EventPlace } from '../events/index.js';
import { answerSchema, ApiQueries, invalidRequest, parameter, readQuery } from '../http/index.js';
import { NOT_JUDGED } from './analyst.js';
import { Inquiries } from './inquiries.js';
import { textsOf } from './policy-answers.js';
import { CAPTURED, EXPLAINED, type CapturedBody, type ExplainedBody } from './schemas.js';

const EXPLAIN_QUERY = { ...EVENT_PLACE_QUERY, all: parameter.boolean('Include rules that did not fire.') };
const TEST_QUERY = {
  ...EVENT_PLACE_QUERY,
  id: parameter.text(
    'Name of the test: lower-case letters, digits, dots and dashes. Default: `captured-<event>`.',
    100,
  ),
};

const UNJUDGED = {
  no: { reproduced: null, differs: [], decision: null, deciding_rule: null, deployment: null, rules: [] },
  because: {
    other: 'no rule judged this event',
    old: 'it was recorded by an earlier version, without the facts needed to explain it',
    broken: 'its record cannot be read by this version',
  },
} as const;

/** Explanations of recorded decisions, and the same calls as policy tests. */
@ApiTags('events')
@ApiManagers()
@ApiResponse({ status: 403, description: 'The token lacks one of the scopes `events:read` and `policy:read`.' })
@ApiResponse({ status: 404, description: 'There is no such event, or the token may not read it.' })
@Controller('v1/events')
export class EventInquiriesController {
  constructor(
    @Inject(ManagementAccess) private readonly access: ManagementAccess,
    @Inject(ReplicaEventReader) private readonly reader: ReplicaEventReader,
    @Inject(DeployedTexts) private readonly texts: DeployedTexts,
    @Inject(Inquiries) private readonly inquiries: Inquiries,
  ) {}

  @Get(':id/explain')
  @ApiOperation({
    operationId: 'explainEvent',
    summary: 'Explain the decision on a call, condition by condition. Scopes `events:read` and `policy:read`.',
    description: 'For texts, the answer contains only types and sizes.',
  })
  @ApiEventId()
  @ApiQueries(EXPLAIN_QUERY)
  @ApiResponse(
    answerSchema(200, 'The rules and conditions, with their results at the time of the decision.', EXPLAINED),
  )
  async explain(@Req() request: FastifyRequest): Promise<ExplainedBody> {
    const manager = await this.authorize(request);
    const { all = false, ...place } = readQuery(EXPLAIN_QUERY, request.query);
    const read = await this.read(request, manager, place);
    if (read.kind !== 'decision') {
      const { kind, digest } = read;
      return { ...UNJUDGED.no, differs: [], rules: [], missing: [UNJUDGED.because[kind]], digest };
    }
    const policy = await this.policyOf(manager, read.decision);
    const question = { policy: policy && (await textsOf(policy)), record: read.decision, all };
    const answer = await this.inquiries.ask(manager.accountId, 'explain', question);
    return { ...answer, digest: read.decision.policyDigest, deployment: policy?.deployment ?? null };
  }

  @Get(':id/test')
  @ApiOperation({
    operationId: 'captureEvent',
    summary: 'Convert a decision to a policy test without user-written text. Scopes `events:read` and `policy:read`.',
  })
  @ApiEventId()
  @ApiQueries(TEST_QUERY)
  @ApiResponse(answerSchema(200, 'The test.', CAPTURED))
  @ApiResponse({ status: 422, description: 'No rule judged the event, or its policy is no longer available.' })
  async test(@Req() request: FastifyRequest): Promise<CapturedBody> {
    const manager = await this.authorize(request);
    const { id, ...place } = readQuery(TEST_QUERY, request.query);
    const read = await this.read(request, manager, place);
    if (read.kind !== 'decision') throw invalidRequest([{ path: 'id', message: UNJUDGED.because[read.kind] }]);
    const name = id ?? capturedId(read.decision.id);
    if (!isTestId(name))
      throw invalidRequest([{ path: 'id', message: 'must consist of lower-case letters, digits, dots and dashes' }]);
    const policy = await this.policyOf(manager, read.decision);
    if (policy === null) throw invalidRequest([{ path: 'id', message: NOT_JUDGED }]);
    const question = { policy: await textsOf(policy), record: read.decision, id: name };
    return this.inquiries.ask(manager.accountId, 'capture', question);
  }

  private async authorize(request: FastifyRequest): Promise<ActingManager> {
    const manager = await this.access.authorize(request, 'events:read');
    return manager.scopes.includes('policy:read') ? manager : this.access.authorize(request, 'policy:read');
  }

  private async read(request: FastifyRequest, manager: ActingManager, place: EventPlace) {
    const { id } = request.params as { readonly id: string };
    const event = await namedEvent(this.reader, manager, id, place);
    // The form that a client reads, because some numbers are kept exactly as they were written.
    const read = readRecordedDecision(JSON.parse(JSON.stringify(event)));
    return { ...read, digest: event.policy?.digest ?? null };
  }

  private async policyOf(manager: ActingManager, record: RecordedDecision): Promise<LocatedPolicy | null> {
    const { policyDigest: digest, environment } = record;
    return digest === null ? null : this.texts.locate(manager.accountId, environment, { digest });
  }
}

function ApiEventId(): MethodDecorator {
  return ApiParam({ name: 'id', description: "The service's `id`, or the client's `event_id`." });
}
