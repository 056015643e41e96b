import { z } from 'zod';
import { VIOLATION } from '../events/index.js';

const call = z.uuid().describe('Id of the call: the header `x-weir-call` of the answer to its submission.');
const event_id = z.string().describe('Id of the recorded `ai.response` or `ai.error`.');
const violations = z
  .array(VIOLATION)
  .describe('Violations of rules by the answer. The actions of these rules can no longer be enforced.');

export const CALL_END = z.strictObject({ call, event_id, violations }).meta({ id: 'CallEnd' });

export const CALL_ENDS = z
  .strictObject({
    answers: z
      .array(
        z.union([
          z.strictObject({ call, status: z.literal(200), event_id, violations }),
          z.strictObject({
            call,
            status: z.int().min(400).max(599),
            error: z.strictObject({
              type: z.string(),
              message: z.string(),
              details: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
            }),
          }),
        ]),
      )
      .describe('One result per report, in the order of the reports.'),
  })
  .meta({ id: 'CallEnds' });

export const CALL_ROUTES = z
  .strictObject({
    providers: z.array(
      z.strictObject({
        id: z.string(),
        style: z.string(),
        base_url: z.string().describe('Base URL of the provider in the settings of this service.'),
      }),
    ),
    routes: z.array(
      z.strictObject({
        provider: z.string(),
        method: z.literal('POST'),
        path: z.string().describe('Path of the route without vendor-specific prefixes.'),
        pattern: z
          .string()
          .describe('Regular expression for the path of a URL, without its query; not case-sensitive.'),
      }),
    ),
    unknown: z.literal('judged_as_generic').describe('Treatment of calls to routes that are not listed.'),
  })
  .meta({ id: 'CallRoutes' });
