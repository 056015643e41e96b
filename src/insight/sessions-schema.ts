import { z } from 'zod';
import { ENVIRONMENTS } from '../core/index.js';
import { OUTCOMES } from '../events/index.js';

const instant = z.iso.datetime();

export const CALL_SESSION = z
  .strictObject({
    session_id: z.string(),
    app: z.strictObject({ id: z.uuid(), name: z.string().nullable() }),
    environment: z.enum(ENVIRONMENTS),
    first_at: instant,
    last_at: instant,
    calls: z.int(),
    tool_calls: z.int().describe('Number of tool calls; `calls` includes them.'),
    outcomes: z
      .strictObject(Object.fromEntries(OUTCOMES.map((each) => [each, z.int()])))
      .describe('Number of calls by outcome.'),
    models: z.array(z.string()).describe('Models called in the session, at most 20.'),
    tokens: z.number().describe('Number of prompt and completion tokens; a sum above 2^53 is rounded.'),
    cost_nano_usd: z
      .string()
      .describe('Cost in integer nano-dollars, as text; calls without a price are not included.'),
    without_price: z
      .int()
      .describe(
        'Number of calls whose tokens are known, but not their price. A call with several answers counts once for each of them.',
      ),
    weir_ms: z
      .number()
      .nullable()
      .optional()
      .describe(
        'Processing time that Weir added to the calls of the session, in milliseconds. Only if `session` names one session; null if it is unknown, or if the session has too many events to read them in time.',
      ),
    rules: z
      .array(z.string())
      .nullable()
      .optional()
      .describe(
        'Ids of the rules that fired in the session, including monitored ones. Only if `session` names one session; null if the session has too many events to read them in time.',
      ),
  })
  .meta({ id: 'CallSession' });

export const CALL_SESSIONS = z
  .strictObject({
    data: z.array(CALL_SESSION),
    next_cursor: z.string().nullable().describe('Cursor of the next page; null on the last page.'),
  })
  .meta({ id: 'CallSessions' });
