/** The columns of the list of events, and their content. */
import type { ReactNode } from 'react';
import { duration, exactTime, money, tableTime } from '../parts/format.ts';
import { OutcomeBadge, outcomeOf, strongestFirst } from '../parts/outcome.tsx';
import { visible } from '../parts/text.tsx';
import { isOfBudget } from './reasons.ts';
import type { ListedEvent } from './use-events.ts';

export interface Column {
  readonly id: string;
  readonly label: string;
  /** The minimum width; free space is distributed in proportion to `share`. */
  readonly px: number;
  readonly share?: number;
  /** The user has set the width. */
  readonly isSet?: true;
  readonly isNumber?: true;
  readonly className?: string;
  readonly title?: (row: ListedEvent) => string;
  readonly cell: (row: ListedEvent, withEnvironment: boolean) => ReactNode;
}

const text = (
  id: string,
  label: string,
  read: (row: ListedEvent) => string | null | undefined,
  size: Pick<Column, 'px' | 'share'> = { px: 80, share: 1 },
): Column => {
  const shown = (row: ListedEvent): string => visible(read(row) ?? '');
  const cell = (row: ListedEvent): ReactNode => <bdi dir="auto">{shown(row)}</bdi>;
  return { ...{ id, label, ...size }, className: 'cut dim', title: shown, cell };
};
const none = <span className="dim">–</span>;
const number = (id: string, label: string, px: number, read: (row: ListedEvent) => string | null): Column => ({
  ...{ id, label, px, isNumber: true, className: 'num' },
  cell: (row) => read(row) ?? none,
});
const whole = (value: number | null | undefined): string | null =>
  value === null || value === undefined ? null : value.toLocaleString();
const took = (ms: number | null): ReactNode => (ms === null ? none : duration(ms));

/** All columns, in the order of the picker. */
export const COLUMNS: readonly Column[] = [
  {
    ...{ id: 'time', label: 'Time', px: 92, className: 'g-time tab-nums dim' },
    cell: ({ received_at: at }) => (
      <time dateTime={at} title={exactTime(at)}>
        {tableTime(at)}
      </time>
    ),
  },
  {
    ...{ id: 'outcome', label: 'Outcome', px: 104, className: 'g-outcome' },
    cell: (row) => <OutcomeBadge outcome={outcomeOf(row)} />,
  },
  {
    ...{ id: 'rule', label: 'Rule', px: 160, share: 3, className: 'g-rule cut' },
    title: (row) =>
      [...strongestFirst(row.violations).map(({ rule }) => rule), visible(row.excerpt ?? '')]
        .filter(Boolean)
        .join(', '),
    cell: (row) => <RuleCell row={row} />,
  },
  {
    ...{ id: 'app', label: 'App', px: 132, share: 1, className: 'g-app cut' },
    title: (row) => `${appOf(row)}, ${row.environment}`,
    cell: (row, withEnvironment) => (
      <>
        <bdi dir="auto" className="cut">
          {appOf(row)}
        </bdi>
        {withEnvironment && <span className="dim">&nbsp;· {SHORT[row.environment]}</span>}
      </>
    ),
  },
  text('environment', 'Environment', ({ environment }) => environment, { px: 92 }),
  text('model', 'Model', ({ model }) => model),
  text('provider', 'Provider', ({ provider }) => provider, { px: 80 }),
  text('session', 'Session', ({ session_id: id }) => id),
  text('type', 'Type', ({ type }) => type, { px: 104 }),
  text('key', 'Key', ({ key_id: key }) => key, { px: 112 }),
  text('request_id', 'Request', ({ request_id: id }) => id),
  text('mark', 'Mark', ({ marks }) => [...new Set(marks?.map(({ mark }) => mark))].join(', '), { px: 64 }),
  {
    ...{ id: 'weir', label: 'Weir', px: 72, isNumber: true, className: 'num dim' },
    cell: ({ latency_ms: ms }) => duration(ms.weir),
  },
  {
    ...{ id: 'total', label: 'Total', px: 72, isNumber: true, className: 'num dim' },
    cell: ({ latency_ms: ms }) => took(ms.total),
  },
  number('tokens', 'Tokens', 72, ({ usage }) =>
    usage === null ? null : whole((usage.prompt_tokens ?? 0) + (usage.completion_tokens ?? 0)),
  ),
  number('tokens_in', 'Tokens in', 80, ({ usage }) => whole(usage?.prompt_tokens)),
  number('tokens_out', 'Tokens out', 80, ({ usage }) => whole(usage?.completion_tokens)),
  {
    ...{ id: 'cost', label: 'Cost', px: 88, isNumber: true, className: 'g-cost num' },
    cell: ({ cost_nano_usd: nano }) => (nano === null ? none : money(nano, 5)),
  },
];

/** Short names of environments, shown next to the name of an app; the tooltip and the environment column have the full word. */
const SHORT: Readonly<Record<ListedEvent['environment'], string>> = {
  production: 'prod',
  staging: 'staging',
  development: 'dev',
};

function appOf({ app }: ListedEvent): string {
  return visible(app.name ?? app.id);
}

function RuleCell({ row }: { readonly row: ListedEvent }): ReactNode {
  const rules = strongestFirst(row.violations);
  const wouldBe = outcomeOf(row) === 'allowed' ? rules.find(({ enforced }) => !enforced) : undefined;
  return (
    <>
      {isOfBudget(row) && <span>{rules.length === 0 ? 'budget' : 'budget, '}</span>}
      {rules[0] === undefined ? (
        <span className="dim">{typeof row.excerpt === 'string' ? '' : row.type}</span>
      ) : (
        <>
          <span className="mono">{visible(rules[0].rule)}</span>
          {rules.length > 1 && <span className="dim"> +{rules.length - 1}</span>}
          {wouldBe !== undefined && <span className="dim"> would {wouldBe.action}</span>}
        </>
      )}
      {typeof row.excerpt === 'string' && (
        <bdi dir="auto" className="excerpt">
          {visible(row.excerpt)}
        </bdi>
      )}
    </>
  );
}

const METADATA = 'metadata.';
const ofMetadata = new Map<string, Column>();

/** A column for a metadata key. The same object for the same key, so that rows are not rendered again. */
export function metadataColumn(key: string): Column {
  const known = ofMetadata.get(key);
  if (known !== undefined) return known;
  const column = text(`${METADATA}${key}`, visible(key), ({ metadata }) => valueAt(metadata, key), {
    ...{ px: 96, share: 1 },
  });
  ofMetadata.set(key, column);
  return column;
}

/** For `user.id`: the value of the key `user.id`, otherwise of `id` within `user`. */
function valueAt(metadata: ListedEvent['metadata'], key: string): string | null {
  let value: unknown = metadata;
  const isWhole = metadata !== null && Object.hasOwn(metadata, key);
  for (const name of isWhole ? [key] : key.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** @param id of a built-in column, or `metadata.<key>` */
export function columnOf(id: string): Column | undefined {
  const key = id.startsWith(METADATA) ? id.slice(METADATA.length) : '';
  return key === '' ? COLUMNS.find((column) => column.id === id) : metadataColumn(key);
}

const GAP_PX = 16;
const EDGE_PX = 24;

/** The column template of the grid, and its minimum width. */
export function gridOf(columns: readonly Column[]): { readonly template: string; readonly minPx: number } {
  // At least one column takes the free space, so that rows reach the edge.
  const stretched = columns.some(isStretched) ? columns : columns.map(lastTakesRest);
  const template = stretched.map((column) =>
    isStretched(column) ? `minmax(${column.px}px, ${column.share}fr)` : `${column.px}px`,
  );
  const minPx = columns.reduce((sum, { px }) => sum + px, 0) + (columns.length - 1) * GAP_PX + 2 * EDGE_PX;
  return { template: template.join(' '), minPx };
}

const isStretched = ({ share, isSet }: Column): boolean => share !== undefined && isSet !== true;

function lastTakesRest(column: Column, index: number, all: readonly Column[]): Column {
  if (index !== all.length - 1) return column;
  const { isSet: _isSet, ...free } = column;
  return { ...free, share: 1 };
}
