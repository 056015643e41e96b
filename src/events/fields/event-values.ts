/**
 * Fields of an event with one value or none. Such a field needs only a line here and its migration: the field of `NewEvent`
 * (`request_id` is its `requestId`), the inserted and selected column, and the form in the API, its schema, CSV and Parquet follow from
 * it.
 */
import { count, text } from './event-shapes.js';
import { same, type SameField } from './same-field.js';

/** The types of columns in `NewEvent`. JSON and amounts are texts. */
interface ColumnTypes {
  readonly text: string;
  readonly uuid: string;
  readonly json: string;
  readonly numeric: string;
  readonly integer: number;
}
export type ColumnType = keyof ColumnTypes;

export interface EventValue {
  readonly column: ColumnType;
  /** Absent if `event-fields.ts` defines another field for the column. */
  readonly field?: SameField;
  /** Set for a text that an erasure keeps because it cannot name a person. Other texts are emptied by `src/erasure/erase-events.ts`. */
  readonly erasure?: 'kept';
}

export const VALUES = {
  request_id: { column: 'text', field: same(text, { file: 'text' }) },
  parent_id: {
    column: 'uuid',
    field: same(text.describe('Id of the event that caused this event.'), { file: 'text' }),
  },
  session_id: { column: 'text', field: same(text, { file: 'text' }) },
  // Findings in these names are masked before they are stored.
  provider: { column: 'text', field: same(text, { file: 'text' }), erasure: 'kept' },
  model: { column: 'text', field: same(text, { file: 'text' }), erasure: 'kept' },
  metadata: { column: 'json' },
  /** Payload (REST) or body (proxy) as captured; absent under `none`. */
  payload: { column: 'json' },
  reason: {
    column: 'text',
    field: same(text.describe('Reason of the block, or type of the error.'), { file: 'text' }),
    erasure: 'kept',
  },
  cost_nano_usd: {
    column: 'numeric',
    field: same(text.describe('Cost in integer nano-dollars, as text so that any size is exact.'), { file: 'nano' }),
  },
  price_version: { column: 'text', field: same(text), erasure: 'kept' },
  policy_id: { column: 'text', erasure: 'kept' },
  policy_digest: { column: 'text', erasure: 'kept' },
  policy_version: { column: 'text', erasure: 'kept' },
  /** Fact snapshot; never matched text. */
  facts: { column: 'json' },
  /** HTTP status of the provider's answer (proxy) or the submitted one (`ai.error`). */
  upstream_status: { column: 'integer', field: same(count, { file: 'int' }) },
  trace_id: {
    column: 'text',
    field: same(
      text.describe(
        'Id of the request that submitted the event, as in the logs of the service and in `x-request-id` of the answer. Null if no request submitted the event.',
      ),
      { file: 'text' },
    ),
  },
} as const satisfies Readonly<Record<string, EventValue>>;

type Values = typeof VALUES;

/** The name of a column in code. */
type CodeName<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CodeName<Tail>>}`
  : Name;

/** These fields in `NewEvent`. */
export type EventValues = {
  readonly [Name in keyof Values as CodeName<Name>]?: ColumnTypes[Values[Name]['column']];
};

/** These columns in the row of a query. */
export type ValueRow = { readonly [Name in keyof Values]: ColumnTypes[Values[Name]['column']] | null };

type Shown = {
  readonly [Name in keyof Values as Values[Name] extends { readonly field: SameField } ? Name : never]: SameField;
};

/** Fields that equal their columns. */
export const SHOWN_VALUES = Object.fromEntries(
  Object.entries<EventValue>(VALUES).flatMap(([name, { field }]) => (field === undefined ? [] : [[name, field]])),
) as Shown;
