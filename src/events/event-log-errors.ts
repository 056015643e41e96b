/** The reasons why an event was not stored. Each error class has one meaning for the client; no error contains submitted data. */

/**
 * The database is unavailable: whether anything was stored is unknown. 503, try again with the same
 * `event_id`.
 */
export class EventLogUnavailable extends Error {
  override readonly name = 'EventLogUnavailable';
  readonly retryAfterSeconds = 1;
}

/** More events are waiting than the log accepts. Nothing was stored. 503 with `Retry-After`. */
export class EventLogOverloaded extends Error {
  override readonly name = 'EventLogOverloaded';
  readonly retryAfterSeconds = 1;
}

/** Another server is storing the same `event_id` and took too long. Nothing was stored here. 409 `in_progress`. */
export class EventIdInProgress extends Error {
  override readonly name = 'EventIdInProgress';
  readonly retryAfterSeconds = 1;
}

/** The database refused this event's data. Nothing was stored, and trying again will not help: a bug in Weir. 500. */
export class EventRejected extends Error {
  override readonly name = 'EventRejected';

  constructor(readonly sqlState: string) {
    super(`the database refused the event (SQLSTATE ${sqlState})`);
  }
}
