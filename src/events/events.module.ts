import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { Database, DatabaseModule } from '../database/index.js';
import { AdminAudit } from '../admin-audit/index.js';
import { DocumentsModule } from '../documents/index.js';
import type { PluginCatalog } from '../core/index.js';
import { JudgementModule, JudgementService } from '../judgement/index.js';
import { Metrics } from '../metrics/index.js';
import { PLUGIN_CATALOG } from '../plugin-registry/index.js';
import { EventsLogModule } from './events-log.module.js';
import { EventProcessor, JUDGEMENT_OBSERVER, type JudgementObserver } from './ingest/event-processor.js';
import { IngestController } from './ingest/ingest.controller.js';
import { IngestService } from './ingest/ingest.service.js';
import { StoredRequests } from './ingest/stored-requests.js';
import { EventMarks } from './marks/event-marks.js';
import { MarksController } from './marks/marks.controller.js';
import { NoteMasker } from './marks/note-masker.js';
import { EventStreamsController } from './reading/event-streams.controller.js';
import { EventsController } from './reading/events.controller.js';

/** Events over HTTP: submitted by keys, read back by management tokens. */
@Module({
  imports: [AccessModule, DatabaseModule, JudgementModule, DocumentsModule, EventsLogModule],
  controllers: [IngestController, MarksController, EventStreamsController, EventsController],
  providers: [
    IngestService,
    EventProcessor,
    {
      provide: StoredRequests,
      inject: [Database],
      useFactory: (database: Database) => new StoredRequests(database.sql),
    },
    {
      provide: EventMarks,
      inject: [Database, AdminAudit],
      useFactory: ({ sql }: Database, audit: AdminAudit) => new EventMarks(sql, audit),
    },
    {
      provide: NoteMasker,
      inject: [JudgementService, PLUGIN_CATALOG],
      useFactory: (judging: JudgementService, catalog: PluginCatalog) => new NoteMasker(judging, catalog),
    },
    {
      provide: JUDGEMENT_OBSERVER,
      inject: [Metrics],
      useFactory: (metrics: Metrics): JudgementObserver => {
        return {
          judged: ({ environment }, verdict, { outcomes, tookMs }) =>
            metrics.judged({
              source: 'rest',
              environment,
              decision:
                verdict.kind === 'unavailable' ? 'unavailable' : 'decision' in verdict ? verdict.decision : 'allow',
              violations: verdict.violations,
              outcomes,
              tookMs,
            }),
        };
      },
    },
  ],
  exports: [EventsLogModule, StoredRequests],
})
export class EventsModule {}
