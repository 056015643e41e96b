/** The possible and the actual cost of a call, and the format of budgets in the API. The ledger itself is in src/budgets. */
import { z } from 'zod';
import { ENVIRONMENTS } from '../model/compiled-policy.js';
import { reasonUpTo } from '../model/reason.js';

/** The request and response bodies of the budget routes, for the service and the command line. */
const amount = z.string().describe('Amount as decimal text: in dollars, exact to the nano-dollar, or in tokens.');
const instant = z.string().describe('RFC 3339, UTC.');
const count = z.int().min(0);

export const BUDGET_STATE = z
  .strictObject({
    budget: z.string().describe("The budget's id in the policy."),
    environment: z.enum(ENVIRONMENTS),
    period_id: z
      .string()
      .nullable()
      .describe('Id of the window of this scope; null before the first call in the window.'),
    scope: z
      .record(z.string(), z.string().nullable())
      .describe(
        'Scope of the budget, with metadata masked as in events. A null value stands for calls without this value.',
      ),
    window: z.strictObject({
      per: z.enum(['hour', 'day', 'week', 'month', 'total']),
      timezone: z.string(),
      start: instant,
      end: instant.nullable(),
    }),
    on_exceed: z.enum(['record', 'block']),
    unit: z.enum(['usd', 'tokens']),
    limit: amount,
    used: amount,
    reserved: amount.describe('Amount reserved by calls in flight.'),
    remaining: amount.describe('The limit minus the used amount; negative if the limit was exceeded.'),
    used_ratio: z.number(),
    exceeded_at: instant.nullable(),
    warn_at: z.array(z.number()).describe('Thresholds of warnings in the active policy; empty for a removed budget.'),
    warned: z
      .array(z.strictObject({ ratio: z.number(), at: instant }))
      .describe('Thresholds of `warn_at` that were reached.'),
    charged: amount
      .optional()
      .describe('Amount charged to the window for the given events; only with the parameter `event`.'),
  })
  .meta({ id: 'BudgetState' });
export const BUDGETS = z.strictObject({ data: z.array(BUDGET_STATE) }).meta({ id: 'Budgets' });
export type BudgetState = z.infer<typeof BUDGET_STATE>;

export const BUDGET_ADJUSTMENT = z
  .strictObject({
    period_id: z.uuid().describe('Id of the window of a scope: `period_id` in the list of budgets.'),
    amount: z
      .string()
      .regex(/^-?\d{1,12}(?:\.\d{1,9})?$/, 'must be a decimal number with at most 9 decimals')
      .describe("Amount to add to the used amount, in the budget's unit; a negative amount is subtracted."),
    because: reasonUpTo(2_000).describe(
      'Reason for the adjustment; kept in the ledger entry and in the admin audit log.',
    ),
  })
  .meta({ id: 'BudgetAdjustment' });

export const BUDGET_SERIES = z
  .strictObject({
    step_seconds: z
      .number()
      .describe(
        'Seconds between two points. The last point is now or the end of the window, and can be closer to the point before. The points of a window without an end begin with its first ledger entry.',
      ),
    points: z.array(
      z.strictObject({
        at: instant,
        used: amount.describe('Amount used by calls that began before this point.'),
        reserved: amount.describe('Amount still reserved by calls that began before this point.'),
      }),
    ),
    forecast: z
      .strictObject({
        at_end: amount.describe('Amount used by the end of the window if the average rate so far continues.'),
        low: amount.describe('Lower bound of the 80 % interval of `at_end`.'),
        high: amount.describe('Upper bound of the 80 % interval of `at_end`.'),
        method: z
          .string()
          .describe('`mean_of_steps_80`: computed from the mean and the variance of the completed steps.'),
        reaches_limit_at: instant
          .nullable()
          .describe(
            'Time at which the limit is reached if the average rate so far continues; null if this is after the end of the window.',
          ),
      })
      .nullable()
      .describe(
        'Forecast for the end of the window; null if the window has ended or has no end, and before four steps are complete.',
      ),
  })
  .meta({ id: 'BudgetSeries' });
export type BudgetSeries = z.infer<typeof BUDGET_SERIES>;

export const BUDGET_ENTRY = z.strictObject({
  at: instant,
  kind: z
    .enum(['charge', 'reservation', 'release', 'estimate', 'adjustment'])
    .describe(
      '`reservation`: the amount is currently reserved; `release`: it was reserved, but not spent; `estimate`: it was counted without a reported end of the call.',
    ),
  amount: amount,
  event_id: z.string().nullable().describe('Id of the charged event.'),
  because: z.string().nullable().describe('Reason for the adjustment.'),
  by: z
    .strictObject({ kind: z.string(), id: z.string().nullable(), name: z.string().nullable() })
    .nullable()
    .describe('Author of the adjustment.'),
});
export const BUDGET_ENTRIES = z
  .strictObject({ data: z.array(BUDGET_ENTRY), next_cursor: z.string().nullable() })
  .meta({ id: 'BudgetEntries' });
export type BudgetEntries = z.infer<typeof BUDGET_ENTRIES>;

export const BUDGET_AUDIT_LINE = z.strictObject({
  budget: z.string(),
  environment: z.enum(ENVIRONMENTS),
  period_id: z.string(),
  scope: z.record(z.string(), z.string().nullable()),
  start: instant,
  unit: z.enum(['usd', 'tokens']),
  usage: amount.describe('Amount used according to the budget.'),
  ledger: amount.describe('Amount used according to the ledger: the sum of its entries.'),
  events: amount.describe(
    'Amount used according to the log: the sum of the costs of the events. Archived events count with their amount in the ledger.',
  ),
  estimated: amount.describe('Amount estimated for calls without a reported end.'),
  adjusted: amount.describe('Sum of the manual corrections.'),
  reserved: amount.describe('Amount reserved according to the budget.'),
  held: amount.describe('Amount reserved according to the entries in the ledger.'),
  missing_events: count.describe('Number of ledger entries whose event is neither in the log nor in the archive.'),
  exact: z
    .boolean()
    .describe('True if `usage` = `ledger` = `events` + `estimated` + `adjusted`, and `reserved` = `held`.'),
});
export const BUDGET_AUDIT = z
  .strictObject({
    exact: z.boolean(),
    unsettled_events: count.describe(
      'Number of events that report the end of a call which is still open in the ledger.',
    ),
    data: z.array(BUDGET_AUDIT_LINE),
  })
  .meta({ id: 'BudgetAudit' });
export type BudgetAudit = z.infer<typeof BUDGET_AUDIT>;
export type BudgetAuditLine = z.infer<typeof BUDGET_AUDIT_LINE>;
