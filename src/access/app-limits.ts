/** The limits of an app, if its account has set lower ones than the operator. */

export interface AppLimit {
  readonly count: number;
  readonly seconds: number;
}

/** The limits of an app. If a limit is absent, the limit of the operator applies. */
export interface AppLimits {
  readonly events?: AppLimit;
  /** The limit of proxied calls and, counted separately, of calls judged through `/v1/calls`. */
  readonly proxy?: AppLimit;
}

/** Parses the limits as stored in the database. */
export function appLimitsOf(stored: string | null): AppLimits | undefined {
  return stored === null ? undefined : (JSON.parse(stored) as AppLimits);
}
