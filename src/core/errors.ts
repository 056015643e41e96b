/**
 * The only catalogue of Weir's error types. Core is independent of HTTP: `src/http` maps a type to a status with `satisfies
 * Record<ErrorType, number>`, so a new type without a status does not compile.
 */
export const ERROR_CATALOGUE = {
  content_policy_violation: {
    title: 'Refused by a guardrail rule',
    hint: 'Read `violations`; change the content or the policy.',
  },
  tool_use_blocked: {
    title: 'The tool call was refused by a guardrail rule',
    hint: 'Read `violations`; the tool must not run.',
  },
  budget_exceeded: {
    title: 'A blocking budget is used up',
    hint: 'Raise the limit in the policy or wait for the next window.',
  },
  budget_reserved: { title: 'The rest of the budget is reserved by calls in flight', hint: 'Try again shortly.' },
  authentication_error: { title: 'The key is not valid', hint: 'Send a current key of this service.' },
  subscription_inactive: { title: 'The account has no active subscription', hint: 'Activate the subscription.' },
  subscription_lapsed: { title: 'The subscription has lapsed', hint: 'Renew the subscription.' },
  email_not_verified: { title: 'The e-mail address is not verified', hint: 'Open the link in the verification mail.' },
  reauthentication_required: {
    title: 'The password was entered more than ten minutes ago',
    hint: 'Send the password to `POST /auth/reauthenticate`, then repeat the request.',
  },
  forbidden: { title: 'Not allowed for this credential', hint: 'Use a credential with the needed scope.' },
  not_found: { title: 'Not found', hint: 'Check the path and the id.' },
  in_progress: { title: 'The same event is being processed', hint: 'Try again after `Retry-After` seconds.' },
  stale_plan: { title: 'The deployment changed after the plan was made', hint: 'Plan again.' },
  payload_too_large: { title: 'The body is over the limit', hint: 'Send less, or raise the limit in the settings.' },
  invalid_request: { title: 'The request is malformed', hint: 'Read `details`: each entry names a field.' },
  event_id_conflict: { title: 'This event_id was used with another body', hint: 'Use a new event_id for a new event.' },
  reserved_event_type: {
    title: 'Only the service records this event type',
    hint: 'Submit one of the four client types.',
  },
  rate_limit_exceeded: { title: 'Too many requests', hint: 'Try again after `Retry-After` seconds.' },
  trial_limit_reached: { title: 'The trial is used up', hint: 'Start a subscription.' },
  internal_error: { title: 'An internal error occurred', hint: 'Report the trace_id.' },
  upstream_unreachable: {
    title: 'The provider could not be reached',
    hint: 'Try again, and check the base URL of the provider in the settings.',
  },
  guardrail_unavailable: {
    title: 'A guardrail could not be evaluated',
    hint: 'Try again after `Retry-After` seconds.',
  },
  overloaded: {
    title: 'The service is overloaded',
    hint: 'Try again after `Retry-After` seconds. The request had no effect and was not recorded.',
  },
  unavailable: { title: 'The service cannot answer now', hint: 'Try again after `Retry-After` seconds.' },
  upstream_timeout: {
    title: 'The provider did not answer in time',
    hint: 'Try again, and check the time limits in the settings.',
  },
} as const satisfies Record<string, { title: string; hint: string }>;

/** The closed set of `error.type` values that Weir answers with. */
export type ErrorType = keyof typeof ERROR_CATALOGUE;

/** The problem of one field. `path` is a JSON path from the body's root; `message` never contains a value that was sent. */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}
