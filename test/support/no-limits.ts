/** Settings without rate limits: tests send more in a second than users in a minute. */
export const NO_LIMITS = {
  WEIR_RATE_EVENTS: 'off',
  WEIR_RATE_BATCH: 'off',
  WEIR_RATE_PROXY: 'off',
  WEIR_RATE_CALLS: 'off',
  WEIR_RATE_MANAGEMENT: 'off',
  WEIR_RATE_AUTH: 'off',
  WEIR_RATE_ADDRESS: 'off',
  // Long timeouts, because a busy machine answers late.
  WEIR_OVERLOAD_WAIT: '10m',
  WEIR_DATABASE_CALL_TIMEOUT: '60s',
  // No load balancer polls the server.
  WEIR_SHUTDOWN_NOTICE: '0s',
} as const;
