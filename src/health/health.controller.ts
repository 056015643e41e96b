import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { answerSchema, WeirError } from '../http/index.js';
import { ALIVE, READY } from './answer-schemas.js';
import { Readiness, type ReadinessReport } from './readiness.js';

@ApiTags('operations')
@Controller()
export class HealthController {
  constructor(@Inject(Readiness) private readonly readiness: Readiness) {}

  @Get('healthz')
  @ApiOperation({ operationId: 'getHealth', security: [], summary: 'Liveness probe.' })
  @ApiResponse(answerSchema(200, 'The process is alive.', ALIVE))
  alive(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('readyz')
  @ApiOperation({
    operationId: 'getReadiness',
    security: [],
    summary: 'Readiness probe. Checks the database, the clock and the policies.',
  })
  @ApiResponse(
    answerSchema(200, 'The service accepts traffic; the answer contains the digest of every active policy.', READY),
  )
  @ApiResponse({ status: 503, description: 'The service cannot accept traffic; `details` contains the reasons.' })
  async ready(): Promise<ReadinessReport & { status: 'ready' }> {
    const { report, missing } = await this.readiness.check();
    if (missing.length === 0) return { status: 'ready', ...report };
    throw new WeirError('unavailable', {
      message: `Not ready: ${missing.map(({ path }) => path).join(', ')}`,
      details: missing,
      retryAfterSeconds: 1,
    });
  }
}
