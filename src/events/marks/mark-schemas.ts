import { z } from 'zod';
import { ENVIRONMENTS } from '../../core/index.js';
import { parameter } from '../../http/index.js';

/** The possible marks on a decision: right, wrong, or missed (the rule should have fired and did not). */
export const MARKS = ['right', 'wrong', 'missed'] as const;
export type MarkWord = (typeof MARKS)[number];

/** Filter of the list of events: a mark, or the absence of marks. */
export const MARK_FILTERS = [...MARKS, 'none'] as const;
export type MarkFilter = (typeof MARK_FILTERS)[number];

export const MAX_NOTE = 500;
export const MARKS_AT_ONCE = 50;

const mark = z
  .enum(MARKS)
  .describe(
    '`right`: the rule fired correctly. `wrong`: it fired, but should not have. `missed`: it did not fire, but should have.',
  );

export const NEW_MARK = z
  .strictObject({
    mark,
    note: z
      .string()
      .min(1)
      .max(MAX_NOTE)
      .regex(/^(?:[^\p{Cc}\p{Cs}]|[\n\t])*$/u, 'must be text without control characters')
      .nullish()
      .describe('Reason for the mark. Personal data and credentials in it are masked before it is stored.'),
  })
  .meta({ id: 'NewMark' });

export const MARK = z
  .strictObject({
    event: z.uuid().describe('Id of the event in which the rule fired; for `missed`, of the event that was marked.'),
    call: z.uuid().describe('Id of the event with which the call began. A call has one mark for each rule.'),
    rule: z.string(),
    mark,
    note: z.string().nullable(),
    environment: z.enum(ENVIRONMENTS),
    app: z.strictObject({ id: z.uuid(), name: z.string().nullable() }),
    by: z
      .strictObject({ kind: z.enum(['person', 'token']), id: z.string(), name: z.string().nullable() })
      .describe(
        'The last author of the mark. `name` is the e-mail address of the person or the name of the management token; null if the person or token no longer exists.',
      ),
    at: z.string().describe('RFC 3339, UTC.'),
  })
  .meta({ id: 'Mark' });

export const MARK_PAGE = z
  .strictObject({
    data: z.array(MARK),
    next_cursor: z.string().nullable().describe('Cursor of the next page; null on the last page.'),
  })
  .meta({ id: 'MarkPage' });

export const MARKS_QUERY = {
  environment: parameter.oneOf(ENVIRONMENTS, 'Only this environment.'),
  rule: parameter.listOf(parameter.text('Ids of rules.', 100)),
  mark: parameter.listOf(parameter.oneOf(MARKS, 'Only marks of these kinds.')),
  app: parameter.uuid('Id of an app.'),
  event: parameter.uuid('Id of any event of a call: only marks of this call.'),
  from: parameter.instant('Marked at this time or later (RFC 3339).'),
  to: parameter.instant('Marked before this time (RFC 3339).'),
  limit: parameter.integer(1, 200, `Marks per page; ${MARKS_AT_ONCE} when absent.`),
  cursor: parameter.uuid('`next_cursor` of the previous page.', 'must be a `next_cursor`'),
};
