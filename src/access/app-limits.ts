/** The limits of an app, if its account has set lower ones than the operator. */

export interface AppLimit {
  readonly count: number;
  readonly seconds: number;
}

/** Absent: the operator's limit. */
export interface AppLimits {
  readonly events?: AppLimit;
  /** Of proxied calls and, counted apart, of those that are asked about. */
  readonly proxy?: AppLimit;
}

/** As it stands in the database. */
export function appLimitsOf(stored: string | null): AppLimits | undefined {
  return stored === null ? undefined : (JSON.parse(stored) as AppLimits);
}
