import { Module } from '@nestjs/common';
import { CLOCK, JudgementService, type Clock } from './judgement.service.js';

/**
 * Judging calls by the active policy: scan, facts, decision, redaction plan. It may not store, send or read anything:
 * what comes in is decoded, what goes out is a value.
 */
@Module({
  providers: [
    JudgementService,
    {
      provide: CLOCK,
      useValue: { nowMs: () => Date.now(), monotonicMs: () => performance.now() } satisfies Clock,
    },
  ],
  exports: [JudgementService],
})
export class JudgementModule {}
