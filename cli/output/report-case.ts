/** One entry of a machine-readable report: a test, or a finding of the linter. */
export interface ReportCase {
  /** The file or the group that it belongs to. */
  readonly suite: string;
  readonly name: string;
  readonly file?: string;
  /** The line number, from 1. */
  readonly line?: number;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Why it failed or was skipped. Its first line is the summary. */
  readonly message?: string;
  readonly durationMs?: number;
}
