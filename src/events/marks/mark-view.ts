import type { z } from 'zod';
import type { Mark } from './event-marks.js';
import type { MARK } from './mark-schemas.js';

/** A mark in the format of the API. */
export function markView({ eventId, callId, rule, mark, note, environment, app, by, at }: Mark): z.infer<typeof MARK> {
  return {
    ...{ event: eventId, call: callId, rule, mark, note, environment },
    app: { ...app },
    by: { ...by },
    at: at.toISOString(),
  };
}
