import { z } from 'zod';
import { ENVIRONMENTS } from '../core/index.js';
import { parameter } from '../http/index.js';
import { KINDS, SEVERITIES } from './item.js';

/** The parameters and answers of the routes for attention. */
const instant = z.string().describe('RFC 3339, UTC.');

export const ATTENTION_QUERY = { environment: parameter.oneOf(ENVIRONMENTS, 'Only this environment.') };

export const ATTENTION = z
  .strictObject({
    checked_at: instant,
    data: z
      .array(
        z.strictObject({
          id: z.string(),
          kind: z.enum(KINDS),
          severity: z.enum(SEVERITIES),
          environment: z.enum(ENVIRONMENTS).nullable(),
          text_args: z
            .record(z.string(), z.union([z.string(), z.number(), z.null()]))
            .describe('Names and figures in the text of the entry; the keys of this object depend on `kind`.'),
          count: z.int().nullable().describe('Number of events or calls that the entry is about.'),
          since: instant.nullable(),
          link: z.string().nullable().describe('Path of the dashboard page about the entry.'),
        }),
      )
      .describe(
        'The entries that the caller may see, the most severe first. Entries about keys need the scope `keys:admin`, entries about policies the scope `policy:read`.',
      ),
  })
  .meta({ id: 'Attention' });

export const SNOOZE = z
  .strictObject({
    until: z.iso
      .datetime({ offset: true, error: 'must be an RFC 3339 time with offset' })
      .describe('Time until which the entry is hidden from the caller; at most 90 days ahead.'),
  })
  .meta({ id: 'Snooze' });
