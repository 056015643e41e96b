import { Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiHeader, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/index.js';
import { answerLimits, CallEntrance, governedRoutes, type UnpackedLimits } from '../calls/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import {
  answerSchema,
  bearerOf,
  ERROR_STATUS,
  logFailure,
  LOGGER,
  loggedIdOf,
  noteCaller,
  noteSubject,
  toWeirError,
  WeirError,
  type Logger,
} from '../http/index.js';
import { BodyRooms } from '../limits/index.js';
import { CallEnds } from './call-ends.service.js';
import { CALL_END, CALL_ENDS, CALL_ROUTES } from './schemas.js';
import { reportedByHeaders, reportedInBatch, type ReportedAnswer } from './reported-answer.js';

const ANY_BODY = { schema: { type: 'string', format: 'binary' } } as const;

/** Reports of the ends of judged calls, and the list of governed routes. */
@ApiTags('calls')
@ApiBearerAuth('service_key')
@Controller('v1/calls')
export class CallEndsController {
  constructor(
    @Inject(APP_CONFIG) private readonly config: AppConfig,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(CallEntrance) private readonly entrance: CallEntrance,
    @Inject(CallEnds) private readonly ends: CallEnds,
    @Inject(BodyRooms) private readonly rooms: BodyRooms,
  ) {}

  @Get('routes')
  @ApiOperation({
    operationId: 'listCallRoutes',
    summary: 'The governed routes of each provider.',
    description:
      'Calls of all other routes are recorded as well, and judged by the texts in their JSON, as in the proxy.',
  })
  @ApiResponse(answerSchema(200, 'The governed routes.', CALL_ROUTES))
  async routes(@Req() request: FastifyRequest) {
    await this.entrance.authenticate(bearerOf(request));
    const { providers } = this.config;
    return {
      providers: providers.map(({ id, style, baseUrl }) => ({ id, style, base_url: baseUrl })),
      routes: providers.flatMap(({ id }) =>
        governedRoutes().map(({ path, pattern }) => ({ provider: id, method: 'POST' as const, path, pattern })),
      ),
      unknown: 'judged_as_generic' as const,
    };
  }

  @Post('answers')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'answerCalls',
    summary: 'Report how several calls ended, in one request.',
    description: `The body contains at most 100 answers, one after the other. Each answer consists of one line of JSON, then \`length\` bytes with the answer itself, then a line end. The line of JSON contains \`call\` and \`length\`. Its fields \`status\`, \`ended\`, \`error\`, \`content_type\`, \`content_encoding\` and \`latency_ms\` have the same meaning as the headers of a single answer. Each answer gets its own status; a body that cannot be split into answers is refused as a whole.`,
  })
  @ApiBody({ required: true, schema: ANY_BODY.schema })
  @ApiResponse(answerSchema(200, 'The results, one per answer.', CALL_ENDS))
  async answers(@Req() request: FastifyRequest) {
    const caller = await this.caller(request);
    const leave = await this.entrance.turn('calls', caller);
    try {
      const { answers, unpackedBytes } = await reportedInBatch(request, this.limitsOf(request, 0));
      return { answers: await this.all(request, caller, answers, this.limitsOf(request, unpackedBytes)) };
    } finally {
      leave();
    }
  }

  @Post(':call/answer')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'answerCall',
    summary: 'Report how a call ended: the answer of the provider is read, judged, priced and recorded.',
    description:
      'The body is the answer of the provider, unchanged: JSON, an event stream or anything else; for an interrupted answer, the received part. Only the first report of a call counts; a repeated report gets the same result.',
  })
  @ApiParam({
    name: 'call',
    description: 'Id of the call: the header `x-weir-call` of the answer to its submission.',
    schema: { type: 'string', format: 'uuid' },
  })
  @ApiHeader({
    name: 'x-weir-status',
    description: 'Status of the answer. Required unless `x-weir-ended` is `error` or `unsent`.',
    schema: { type: 'integer', minimum: 100, maximum: 599 },
  })
  @ApiHeader({
    name: 'x-weir-ended',
    description:
      '`complete`: the whole answer was received; `aborted`: the client stopped reading; `error`: the provider ended the answer early or did not answer; `unsent`: the call was not made.',
    schema: { type: 'string', enum: ['complete', 'aborted', 'error', 'unsent'], default: 'complete' },
  })
  @ApiHeader({
    name: 'x-weir-error',
    description: 'Description of the failure, if `x-weir-ended` is `error`.',
    schema: { type: 'string', enum: ['upstream_unreachable', 'upstream_timeout'], default: 'upstream_unreachable' },
  })
  @ApiHeader({
    name: 'x-weir-latency-ms',
    description:
      'Milliseconds from sending the call to the last byte of its answer. Default: the time since the call was submitted.',
    schema: { type: 'number', minimum: 0 },
  })
  @ApiBody({ required: false, schema: ANY_BODY.schema })
  @ApiResponse(answerSchema(200, 'The end of the call was recorded.', CALL_END))
  @ApiResponse({ status: 404, description: 'This app has no such call in this environment.' })
  @ApiResponse({ status: 422, description: 'A header is missing or wrong, or the call was refused.' })
  async answer(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const caller = await this.caller(request);
    const { call } = request.params as { readonly call: string };
    const reported = reportedByHeaders(request, knownId(call));
    const leave = await this.entrance.turn('calls', caller);
    try {
      const { end, replayed } = await this.ends.record(caller, reported, this.limitsOf(request, 0));
      noteSubject(request, { eventId: end.event_id, ...(replayed ? { replayed } : {}) });
      if (replayed) void reply.header('idempotent-replayed', 'true');
      return end;
    } finally {
      leave();
    }
  }

  private async caller(request: FastifyRequest): Promise<Caller> {
    const caller = await this.entrance.authenticate(bearerOf(request));
    noteCaller(request, caller);
    return caller;
  }

  /** The limits of unpacked answers. @param usedBytes the unpacked bytes of the request that are in memory besides an answer */
  private limitsOf(request: FastifyRequest, usedBytes: number): UnpackedLimits {
    const reach = async (bytes: number): Promise<void> => this.rooms.of(request)?.reachUnpacked(usedBytes + bytes);
    return { ...answerLimits(this.config), reach };
  }

  /**
   * Records the answers of a batch. Packed answers are recorded one after the other, so that only one of them is in memory unpacked:
   * together they may be a hundred times as long as the body.
   */
  private async all(
    request: FastifyRequest,
    caller: Caller,
    answers: readonly ReportedAnswer[],
    limits: UnpackedLimits,
  ): Promise<object[]> {
    const plain = answers.map((reported) =>
      reported.coding === undefined ? this.one(request, caller, reported, limits) : undefined,
    );
    const ends: object[] = [];
    for (const [index, reported] of answers.entries()) {
      ends.push(await (plain[index] ?? this.one(request, caller, reported, limits)));
    }
    return ends;
  }

  /** Records one answer of a batch: its errors do not affect the other answers. Never rejects. */
  private async one(request: FastifyRequest, caller: Caller, reported: ReportedAnswer, limits: UnpackedLimits) {
    try {
      const { end } = await this.ends.record(caller, reported, limits);
      return { ...end, status: 200 as const };
    } catch (thrown) {
      const error = toWeirError(thrown);
      const { type, message, options } = error;
      const status = ERROR_STATUS[type];
      logFailure(this.logger, 'an answer was not recorded', { error, thrown, traceId: loggedIdOf(request) });
      const { details } = options;
      return { call: reported.call, status, error: { type, message, ...(details === undefined ? {} : { details }) } };
    }
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A valid id of a call. @throws WeirError `not_found` for anything else */
function knownId(call: string): string {
  if (!UUID.test(call)) throw new WeirError('not_found');
  return call;
}
