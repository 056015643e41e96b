/** A client cannot be guarded as requested: an option is wrong, or the client is not supported. */
export class WeirConfigError extends Error {
  override readonly name: string = 'WeirConfigError';
}

/** A rule that fired. The text that it fired on is never in it. */
export interface Violation {
  readonly rule: string;
  readonly policy?: string;
  readonly category?: string;
  readonly severity?: string;
  readonly action: string;
  /** Whether the action was taken; false in monitor mode, and where it cannot be taken. */
  readonly enforced: boolean;
  readonly message?: string;
  readonly detector?: string;
  readonly locations?: readonly string[];
  readonly count?: number;
}

/** How many texts of one type were masked. */
export interface Redaction {
  readonly type: string;
  readonly count: number;
}

/** Codes of errors that this package makes itself, in the provider's own form; all others are the service's. */
export type OwnErrorCode = 'guardrail_unavailable' | 'unknown_route' | 'unreadable_body';
