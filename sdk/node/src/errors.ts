import { branded } from './shared.js';

/** A client cannot be guarded as requested: an option is wrong, or the client is not supported. */
export class WeirConfigError extends Error {
  override readonly name: string = 'WeirConfigError';

  static {
    branded(this, 'WeirConfigError');
  }
}

/** A rule that fired. The text that it fired on is never included. */
export interface Violation {
  readonly rule: string;
  readonly policy?: string;
  readonly category?: string;
  readonly severity?: string;
  readonly action: string;
  /** Whether the action was applied; false in monitor mode, and where it cannot be applied. */
  readonly enforced: boolean;
  readonly message?: string;
  readonly detector?: string;
  readonly locations?: readonly string[];
  readonly count?: number;
}

/** The number of texts of one type that were masked. */
export interface Redaction {
  readonly type: string;
  readonly count: number;
}

/** Codes of errors that this package creates itself, in the provider's format; all others are the service's. */
export type OwnErrorCode = 'guardrail_unavailable' | 'unknown_route' | 'unreadable_body';
