import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { CSP_REPORTS_PATH, jsonText } from '../http/index.js';
import { addressOf, RateLimits } from '../limits/index.js';
import { Metrics } from '../metrics/index.js';
import { violationsIn } from './csp-violations.js';

const MAX_BODY_BYTES = 16 * 1024;
/** The type of reports of older browsers; `jsonText` knows `application/reports+json` as JSON. */
const OLDER_TYPE = 'application/csp-report';
const NO_CONTENT = 204;

/**
 * The route to which browsers report violations of the content security policies of pages. It needs no credential, and its answer is
 * always the same, because nobody can correct a report. Reports are counted or dropped; nothing of them is stored or logged.
 */
@Injectable()
export class CspReports implements OnModuleInit {
  private readonly count: ReturnType<typeof counterOf>;

  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(RateLimits) private readonly limits: RateLimits,
    @Inject(Metrics) metrics: Metrics,
  ) {
    this.count = counterOf(metrics);
  }

  onModuleInit(): void {
    this.host.httpAdapter.getInstance<FastifyInstance>().route({
      url: CSP_REPORTS_PATH,
      method: 'POST',
      bodyLimit: MAX_BODY_BYTES,
      config: { onlyCounts: true },
      // Requests over the limit end here, before their body is read.
      onRequest: async (request) => {
        await this.limits.take('csp-reports', addressOf(request), () => undefined);
      },
      errorHandler: (_error, _request, reply) => void reply.code(NO_CONTENT).send(),
      handler: (request, reply) => {
        this.read(request);
        return reply.code(NO_CONTENT).send();
      },
    });
  }

  /** @throws WeirError | SyntaxError for a body that is not JSON: the route drops it */
  private read(request: FastifyRequest): void {
    const { text } = jsonText(request, [OLDER_TYPE]);
    for (const { page, directive } of violationsIn(text)) this.count({ page, directive });
  }
}

function counterOf(metrics: Metrics) {
  return metrics.count(
    'weir_csp_reports_total',
    'Violations of the content security policy of a page that browsers reported.',
    ['page', 'directive'],
  );
}
