import { z } from 'zod';
import { nameUpTo } from '../core/index.js';

/** The bodies of the routes of one app. */
const MAX_COUNT = 1_000_000;
const MAX_SECONDS = 86_400;
const instant = z.string().describe('RFC 3339, UTC.');

const LIMIT = z
  .strictObject({ count: z.int().min(1).max(MAX_COUNT), seconds: z.int().min(1).max(MAX_SECONDS) })
  .describe('Limit: at most `count` calls in any period of `seconds` seconds.');

export const APP_LIMITS = z
  .strictObject({
    events: LIMIT.nullish().describe("Limit of submitted events. Default: the operator's."),
    proxy: LIMIT.nullish().describe(
      "Limit of proxied calls and, counted separately, of calls judged through `/v1/calls`. Default: the operator's.",
    ),
  })
  .meta({ id: 'AppLimits' });

export const APP_CHANGE = z
  .strictObject({
    name: nameUpTo(100).optional().describe('Name shown in lists, logs and events.'),
    limits: APP_LIMITS.nullish().describe(
      'All limits of the app; they are replaced together, and can only be stricter than the limits of the operator. With `null`, only the limits of the operator apply.',
    ),
  })
  .meta({ id: 'AppChange' });

const USE = z
  .strictObject({
    count: z.int().describe('The active limit.'),
    seconds: z.int(),
    used: z.int().describe('Number of calls that count towards the limit now.'),
  })
  .nullable()
  .describe('The limit and its current use; null if there is no limit.');

export const APP_DETAIL = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    created_at: instant,
    limits: z
      .strictObject({ events: LIMIT.nullable(), proxy: LIMIT.nullable() })
      .nullable()
      .describe('The limits of the app; null if only the limits of the operator apply.'),
    usage: z.strictObject({
      events: USE,
      proxy: USE,
      calls: USE.describe('Limit of calls judged through `/v1/calls`, and its current use; null if there is no limit.'),
      counted_by: z
        .enum(['all_replicas', 'this_replica'])
        .describe('`this_replica`: each replica counts and limits separately, because the service has no Redis.'),
    }),
    calls_24h: z
      .int()
      .nullable()
      .describe('Number of calls in the last 24 hours, counted in whole hours; null without the scope `events:read`.'),
    last_event_at: instant
      .nullable()
      .describe('Time of the last event; null if there is none, and without the scope `events:read`.'),
  })
  .meta({ id: 'AppDetail' });

export const RECEPTION = z
  .strictObject({
    last_event_at: instant.nullable(),
    refused: z
      .array(
        z.strictObject({
          status: z.int(),
          type: z.string().describe('The error type sent to the caller.'),
          count: z.int(),
          last_at: instant,
        }),
      )
      .describe(
        'Calls of the last ten minutes that were refused before they were recorded; the most frequent refusals come first.',
      ),
  })
  .meta({ id: 'AppReception' });
