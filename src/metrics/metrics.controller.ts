import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Metrics } from './metrics.js';
import { MetricsText } from './metrics-text.js';

@ApiTags('operations')
@Controller('metrics')
export class MetricsController {
  private readonly text: MetricsText;

  constructor(@Inject(Metrics) private readonly metrics: Metrics) {
    this.text = new MetricsText(() => metrics.text());
  }

  @Get()
  @ApiOperation({ operationId: 'getMetrics', security: [], summary: 'Metrics for Prometheus.' })
  @ApiProduces('text/plain')
  @ApiResponse({ status: 200, description: 'Prometheus exposition format.', schema: { type: 'string' } })
  async scrape(@Res() reply: FastifyReply): Promise<void> {
    await reply.type(this.metrics.contentType).send(await this.text.get());
  }
}
