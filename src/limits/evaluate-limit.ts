import type { RateLimits, SetHeader } from './rate-limits.js';

/** The limit per account for judging hypothetical calls. */
export class EvaluateLimit {
  constructor(private readonly limits: RateLimits) {}

  /** @throws {WeirError} 429 `rate_limit_exceeded` */
  async take(accountId: string, setHeader: SetHeader): Promise<void> {
    await this.limits.take('evaluate', accountId, setHeader);
  }
}
