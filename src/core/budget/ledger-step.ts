import type { Environment } from '../model/compiled-policy.js';

/**
 * A change of one call in the ledger, stored together with its event. `usd` (nano-dollars) and `tokens` are undefined if they are unknown.
 */
export type LedgerStep =
  | { readonly do: 'dispatch' | 'release'; readonly accountId: string; readonly reservationId: string }
  | {
      readonly do: 'settle';
      readonly accountId: string;
      readonly eventId: string;
      readonly reservationId: string;
      readonly usd?: bigint;
      readonly tokens?: bigint;
    }
  | ReportedStep;

/** The end of a call that was reported over REST. Its reservation is found by the request id. */
export interface ReportedStep {
  readonly do: 'settle' | 'release';
  readonly accountId: string;
  readonly eventId: string;
  readonly appId: string;
  readonly environment: Environment;
  readonly requestId?: string;
  readonly usd?: bigint;
  readonly tokens?: bigint;
  /** The amounts to charge if the call has no reservation. */
  readonly charges: readonly { readonly periodId: string; readonly actual: bigint }[];
}
