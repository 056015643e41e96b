import { Inject, Injectable } from '@nestjs/common';
import { ERROR_STATUS, errorForLog, LOGGER, toWeirError, type Logger, type WeirError } from '../http/index.js';

/** Writes down what went wrong with streams whose answer has begun: no error handler sees it. */
@Injectable()
export class StreamFailures {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /** What the client is told; outages are logged. */
  logged(thrown: unknown, requestId: string): WeirError {
    const error = toWeirError(thrown);
    if (ERROR_STATUS[error.type] >= 500) {
      const err = errorForLog(error.cause ?? thrown);
      this.logger.error({ trace_id: requestId, type: error.type, err }, 'proxied stream failed');
    }
    return error;
  }
}
