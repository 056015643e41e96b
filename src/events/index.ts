/** The event log: writing, reading, and repeated answers for retries. It makes no decisions. */
export type {
  AppendRequest,
  AppendResult,
  ClientEventType,
  DetectorRecord,
  EventSource,
  EventType,
  DeletedCalls,
  LedgerWritten,
  NewEvent,
  RememberedAnswer,
  StoredAnswer,
} from './event.js';
export type { EventValues } from './fields/event-values.js';
export { LedgerWriter, SUBMITTED_COST } from './event.js';
export { AdmissionSteps, admit, type AdmissionContext, type AdmissionStep, type Rollback } from './admission.js';
export {
  Spending,
  type EndedCall,
  type Hold,
  type ReserveOptions,
  type SpendingCall,
  type SpendingOutcome,
} from './spending.js';
export { Archive } from './archive/archive.js';
export { PartDiffers } from './archive/archive-week.js';
export { notArchived, partsWhere, type ArchivePart } from './archive/catalogue.js';
export { hiddenLogName } from './archive/scratch-events.js';
export { deleteObjects, PartChanged, rewritePart, whilePartsChange } from './archive/rewrite-part.js';
export { deleteDetached } from './detached-weeks.js';
export { makePartitions, weeksOfLog } from './partitions.js';
export { StoredRequests, type StoredRequest } from './stored-requests.js';
export { firstEventIdAt, isUuid, newEventId, timeOfEventId } from './event-id.js';
export { OUTCOMES, type Outcome } from './outcome.js';
export { DAY_SECONDS, isHourOutsideDaySum } from './rollups/day-sums.js';
export { MINUTES_KEPT_DAYS } from './rollups/delete-minutes.js';
export { percentile } from './rollups/latency-scale.js';
export { EventIdInProgress, EventLogOverloaded, EventLogUnavailable, EventRejected } from './event-log-errors.js';
export { EventLog } from './event-log.js';
export { heldAmong, type HoldsByEnvironment } from './retention/held-events.js';
export { heldEvents } from './retention/week-parts.js';
export { ANSWER_GONE } from './stored-answers.js';
export { SessionHistories } from './sessions/session-histories.js';
export { answerLink } from './sessions/answer-link.js';
export {
  maskedSessionDigest,
  sessionDigest,
  sessionFingerprint,
  sessionKey,
  type SessionKey,
  type SessionStepToWrite,
} from './sessions/session-key.js';
export { EndJournal } from './journal/end-journal.js';
export { FILE_COLUMN_NAMES } from './reading/file-columns.js';
export { EXPORT_FORMATS, EXPORT_MEDIA_TYPES, exportPieces, type ExportFormat } from './reading/event-export.js';
export { readEventQuery } from './reading/event-query.js';
export { ParquetPacker } from './reading/parquet-packer.js';
export { ANSWERED_WITHIN_MS } from './reading/event-indexes.js';
export { EventsModule } from './events.module.js';
export { EventsLogModule } from './events-log.module.js';
export type { EventFilters } from './reading/event-filters.js';
export { EVENT_PLACE_QUERY, namedEvent, type EventPlace } from './reading/named-event.js';
export { ReplicaEventReader } from './reading/replica-event-reader.js';
export { EventReader, InvalidEventQuery, MAX_LIMIT, type EventPage } from './reading/event-reader.js';
export { VIOLATION } from './fields/event-shapes.js';
export { SessionFigureReader, sessionPlace, type SessionFigures } from './reading/session-figures.js';
export type { EventRecord } from './reading/event-record.js';
export { ruleState } from './marks/rule-state.js';
export { metadataTerm, storable } from './search-index.js';
export { violationEvents } from './violation-events.js';
