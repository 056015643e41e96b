/**
 * All migrations, oldest first. A name stays for ever once it has run somewhere; a migration that has been released is
 * never edited. Steps are small: expand, fill in batches, contract; never a table rewrite.
 */
import { AdminActions } from './2026-11-21-a1-admin-actions.js';
import { Subscriptions } from './2026-11-21-a2-subscriptions.js';
import { Budgets } from './2026-11-21-b-budgets.js';
import { HotBudgets } from './2026-11-21-b-hot-budgets.js';
import { OtherUsage } from './2026-11-21-b-other-usage.js';
import { People } from './2026-11-21-a1-people.js';
import { AccountSecrets } from './2026-11-21-d-account-secrets.js';
import { Foundations } from './2026-11-21-foundations.js';
import { Deployments } from './2026-11-21-g-deployments.js';
import { Exports } from './2026-11-22-x-exports.js';
import { AuditIndexes } from './2026-11-22-audit-indexes.js';
import { BudgetCourse } from './2026-11-22-budget-course.js';
import { SavedViews } from './2026-11-22-saved-views.js';
import { AppReception } from './2026-11-22-app-reception.js';
import { AttentionSnoozes } from './2026-11-22-attention-snoozes.js';
import { ExportBuckets } from './2026-11-22-y-export-buckets.js';
import { ExportSchedules } from './2026-11-22-z-export-schedules.js';
import { BundleSerials } from './2026-11-22-g-bundle-serials.js';
import { DaySums } from './2026-11-23-day-sums.js';
import { DeployedBy } from './2026-11-21-m-deployed-by.js';
import { RowSecurity } from './2026-11-21-s-row-security.js';
import { UsageEstimated } from './2026-11-21-m-usage-estimated.js';
import { CallEvents } from './2026-11-22-call-events.js';
import { EventMarks } from './2026-11-22-z-event-marks.js';
import { EventExcerpts } from './2026-11-22-zz-event-excerpts.js';
import { ExceptionRollups } from './2026-11-22-zzz-exception-rollups.js';
import { ReadinessProbes } from './2026-11-23-readiness-probes.js';
import { CallGaps } from './2026-11-23-z-call-gaps.js';
import { Rollups } from './2026-11-22-rollups.js';
import { SessionHistories } from './2026-11-23-zz-session-histories.js';

export const MIGRATIONS = [
  { name: '2026-11-21-foundations', class: Foundations },
  { name: '2026-11-21-d-account-secrets', class: AccountSecrets },
  { name: '2026-11-21-g-deployments', class: Deployments },
  { name: '2026-11-21-m-usage-estimated', class: UsageEstimated },
  { name: '2026-11-21-a1-admin-actions', class: AdminActions },
  { name: '2026-11-21-a1-people', class: People },
  { name: '2026-11-21-b-budgets', class: Budgets },
  { name: '2026-11-21-a2-subscriptions', class: Subscriptions },
  { name: '2026-11-21-b-hot-budgets', class: HotBudgets },
  { name: '2026-11-21-b-other-usage', class: OtherUsage },
  { name: '2026-11-21-m-deployed-by', class: DeployedBy },
  { name: '2026-11-21-s-row-security', class: RowSecurity },
  { name: '2026-11-22-g-bundle-serials', class: BundleSerials },
  { name: '2026-11-22-rollups', class: Rollups },
  { name: '2026-11-22-x-exports', class: Exports },
  { name: '2026-11-22-audit-indexes', class: AuditIndexes },
  { name: '2026-11-22-budget-course', class: BudgetCourse },
  { name: '2026-11-22-saved-views', class: SavedViews },
  { name: '2026-11-22-app-reception', class: AppReception },
  { name: '2026-11-22-attention-snoozes', class: AttentionSnoozes },
  { name: '2026-11-22-call-events', class: CallEvents },
  { name: '2026-11-22-y-export-buckets', class: ExportBuckets },
  { name: '2026-11-22-z-event-marks', class: EventMarks },
  { name: '2026-11-22-z-export-schedules', class: ExportSchedules },
  { name: '2026-11-22-zz-event-excerpts', class: EventExcerpts },
  { name: '2026-11-22-zzz-exception-rollups', class: ExceptionRollups },
  { name: '2026-11-23-readiness-probes', class: ReadinessProbes },
  { name: '2026-11-23-z-call-gaps', class: CallGaps },
  { name: '2026-11-23-day-sums', class: DaySums },
  { name: '2026-11-23-zz-session-histories', class: SessionHistories },
];
