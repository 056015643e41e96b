import { z } from 'zod';

const TIME = z.iso.datetime();

export const SUBSCRIPTION = z
  .strictObject({
    state: z.enum(['trialing', 'active', 'inactive', 'lapsed']).describe('Current subscription state of the account.'),
    billing: z.enum(['on', 'off']).describe('`off`: no subscription is needed.'),
    trial: z
      .strictObject({
        started_at: TIME,
        ends_at: TIME,
        events_used: z.int(),
        events_included: z.int(),
        over: z
          .boolean()
          .describe(
            'True if the days or the events of the trial are used up; calls are then answered with 429 `trial_limit_reached`.',
          ),
      })
      .nullable()
      .describe('The trial; null if the account is not in a trial.'),
    period_ends_at: TIME.nullable().describe('End of the paid period, if known.'),
    changed_at: TIME,
  })
  .meta({ id: 'Subscription' });

export const LINK = z.strictObject({
  url: z.url().describe('URL of a page of the payment provider, for this account only. It expires after a while.'),
});
