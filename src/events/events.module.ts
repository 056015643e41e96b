import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { Database, DatabaseModule } from '../database/index.js';
import { AdminAudit } from '../admin-audit/index.js';
import { JudgementModule, JudgementService } from '../judgement/index.js';
import { LoadedPlugins } from '../plugin-registry/index.js';
import { EventsLogModule } from './events-log.module.js';
import { EventMarks } from './marks/event-marks.js';
import { MarksController } from './marks/marks.controller.js';
import { NoteMasker } from './marks/note-masker.js';
import { EventStreamsController } from './reading/event-streams.controller.js';
import { EventsController } from './reading/events.controller.js';
import { SessionHistories } from './sessions/session-histories.js';
import { StoredRequests } from './stored-requests.js';

/** Events over HTTP: read and marked with management tokens. */
@Module({
  imports: [AccessModule, DatabaseModule, JudgementModule, EventsLogModule],
  controllers: [MarksController, EventStreamsController, EventsController],
  providers: [
    {
      provide: StoredRequests,
      inject: [Database],
      useFactory: (database: Database) => new StoredRequests(database.callSql),
    },
    {
      provide: SessionHistories,
      inject: [Database],
      useFactory: (database: Database) => new SessionHistories(database.callSql),
    },
    {
      provide: EventMarks,
      inject: [Database, AdminAudit],
      useFactory: ({ sql, clock }: Database, audit: AdminAudit) => new EventMarks(sql, audit, () => clock.nowMs()),
    },
    {
      provide: NoteMasker,
      inject: [JudgementService, LoadedPlugins],
      useFactory: (judging: JudgementService, { catalog }: LoadedPlugins) => new NoteMasker(judging, catalog),
    },
  ],
  exports: [EventsLogModule, SessionHistories, StoredRequests],
})
export class EventsModule {}
