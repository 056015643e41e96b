/** The numbers of PostgreSQL's advisory locks that are held by one server at a time. Two tasks with the same number would wait for each other. */
export const ADVISORY_LOCKS = {
  /** Applies migrations. */
  migrations: 7_365_412_001,
  /** Creates the first account. */
  bootstrap: 7_365_412_002,
  /** Creates partitions of the event log. */
  partitions: 7_365_412_003,
  /** Adds hourly sums to daily sums. */
  daySums: 7_365_412_004,
  /** Removes weeks from the event log. */
  retention: 7_365_412_011,
  /** Deletes the ids of events that were deleted long ago. */
  eventIds: 7_365_412_012,
} as const;
