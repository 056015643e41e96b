import { PLAIN_EVENTS, TOLD_ONCE, UNKNOWN_TEXTS, type StreamFamily } from '../stream-family.js';

/** Events of vendors that nobody knows, and what all of them send: everything may go on. */
export const OTHER_EVENTS: StreamFamily = {
  ...PLAIN_EVENTS,
  name: 'unknown events',
  claims: () => true,
  textsOf: (type) => (type === 'ping' || type === 'error' ? TOLD_ONCE : UNKNOWN_TEXTS),
};
