import { Inject, Module, type NestModule } from '@nestjs/common';
import { CallsModule } from '../calls/index.js';
import { DocumentsModule } from '../documents/index.js';
import { EventsModule } from '../events/index.js';
import { JudgementModule } from '../judgement/index.js';
import { BatchController } from './batch.controller.js';
import { BatchService } from './batch.service.js';
import { EarlyRefusals } from './early-refusals.js';
import { EventProcessor } from './event-processor.js';
import { IngestController } from './ingest.controller.js';
import { IngestRoutes } from './ingest.routes.js';
import { IngestService } from './ingest.service.js';

/** The entry point for events that clients submit. */
@Module({
  imports: [CallsModule, JudgementModule, DocumentsModule, EventsModule],
  controllers: [IngestController, BatchController],
  providers: [IngestService, IngestRoutes, BatchService, EventProcessor, EarlyRefusals],
})
export class IngestModule implements NestModule {
  constructor(@Inject(IngestRoutes) private readonly routes: IngestRoutes) {}

  /** Nest calls this before it registers the routes. */
  configure(): void {
    this.routes.replaceHandler();
  }
}
