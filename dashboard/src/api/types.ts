/** Types of answers, with the names that pages use. */
import type { Schemas } from './client.ts';

export type { Schemas };

export type Environment = 'production' | 'staging' | 'development';
export const ENVIRONMENTS: readonly Environment[] = ['production', 'staging', 'development'];

export type Me = Schemas['Me'];
export type App = Schemas['App'];
export type Key = Schemas['Key'];
export type CallEvent = Schemas['Event'];
export type Violation = Schemas['Violation'];
export type ActivePolicy = Schemas['ActivePolicy'];
export type Deployment = Schemas['DeploymentAnswer']['deployment'];
export type Bundle = Schemas['Bundle'];
export type BudgetState = Schemas['BudgetState'];
export type BudgetEntries = Schemas['BudgetEntries'];
export type BudgetSeriesAnswer = Schemas['BudgetSeries'];
export type AppDetail = Schemas['AppDetail'];
export type AppReception = Schemas['AppReception'];
export type AttentionList = Schemas['Attention'];
export type SavedView = Schemas['View'];
export type AuditEntry = Schemas['AuditEntry'];
export type Session = Schemas['Sessions']['data'][number];
export type Token = Schemas['Token'];
export type Subscription = Schemas['Subscription'];

export interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
  /** Only for events: the search stopped early, at this time. */
  readonly searched_to?: string | null;
}
export interface Data<T> {
  readonly data: readonly T[];
}

export type Outcome = 'allowed' | 'flagged' | 'would_block' | 'redacted' | 'blocked' | 'unavailable' | 'error';
