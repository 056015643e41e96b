/** The public interface of the database for features. Features never import a driver. */
export { ADVISORY_LOCKS } from './advisory-locks.js';
export { Database, openDatabase } from './database.js';
export { READINESS_SLOTS, readProbe, writeProbe } from './probe-rows.js';
export type { ReadReplica, ReplicaState } from './replica/read-replica.js';
export { DatabaseClock, WRONG_CLOCK_MS } from './database-clock.js';
export {
  DatabaseError,
  DatabaseUnavailable,
  DatabaseUnusable,
  toDatabaseError,
  wasEndedAtDeadline,
} from './database-error.js';
export {
  callTimeoutMsOf,
  databaseOptions,
  POSTGRES_DEFAULTS,
  type DatabaseOptions,
  type PostgresPoolOptions,
} from './database-options.js';
export { DatabaseModule } from './database.module.js';
export {
  Account,
  ApiKey,
  App,
  ManagementToken,
  Membership,
  Person,
  type AccountStatus,
  type MemberRole,
  type SubscriptionState,
} from './entities/index.js';
export { askForBackup, askServer } from './embedded/backup-socket.js';
export { assertMade } from './embedded/check-files.js';
export { unlessAborted } from './deadline.js';
export { vacuum } from './vacuum.js';
export { guarded } from './isolation/tenancy-statements.js';
export { migrate, pendingMigrations, prepareTables } from './migrate.js';
export { planMigrations, type PlannedMigration, type PlannedStatement } from './migration-plan.js';
export { moveDatabase } from './move-database.js';
export { DETACHED_TABLES } from './table-sums.js';
export { restoreVerified, verifyBackup, type Verified } from './verify-backup.js';
export type {
  PrecedingStatement,
  QueryOptions,
  SqlExecutor,
  SqlParameter,
  SqlRow,
  SqlRunner,
  SqlSession,
  SqlTransaction,
  TenantSql,
} from './sql-runner.js';
