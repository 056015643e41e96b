import { Inject, Injectable } from '@nestjs/common';
import { logFailure, LOGGER, toWeirError, type Logger, type WeirError } from '../http/index.js';

/** Logs failures of streams whose answer has begun, because no error handler receives them. */
@Injectable()
export class StreamFailures {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /** The error for the client; outages are logged. */
  logged(thrown: unknown, requestId: string): WeirError {
    const error = toWeirError(thrown);
    logFailure(this.logger, 'proxied stream failed', { error, thrown, traceId: requestId });
    return error;
  }
}
