/** The columns of the list of events: which there are, what stands in each, and which of them a person wants to see. */
import { useSyncExternalStore, type ReactNode } from 'react';
import { duration, money, tableTime } from '../parts/format.ts';
import { OutcomeBadge, outcomeOf, strongestFirst } from '../parts/outcome.tsx';
import { visible } from '../parts/text.tsx';
import type { ListedEvent } from './use-events.ts';

export interface Column {
  readonly id: string;
  readonly label: string;
  /** It takes so much at least, and what is left in proportion to `share`. */
  readonly px: number;
  readonly share?: number;
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

/** All of them, in the order of the picker. */
export const COLUMNS: readonly Column[] = [
  {
    ...{ id: 'time', label: 'Time', px: 92, className: 'g-time tab-nums dim' },
    cell: ({ received_at: at }) => (
      <time dateTime={at} title={at}>
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
    ...{ id: 'app', label: 'App', px: 80, share: 1, className: 'g-app cut' },
    title: appOf,
    cell: (row, withEnvironment) => (
      <>
        <bdi dir="auto">{appOf(row)}</bdi>
        {withEnvironment && <span className="dim"> · {row.environment}</span>}
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

function appOf({ app }: ListedEvent): string {
  return visible(app.name ?? app.id);
}

function RuleCell({ row }: { readonly row: ListedEvent }): ReactNode {
  const rules = strongestFirst(row.violations);
  const wouldBe = outcomeOf(row) === 'allowed' ? rules.find(({ enforced }) => !enforced) : undefined;
  return (
    <>
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

const KEPT_AS = 'weir.columns';
const DEFAULT = ['time', 'outcome', 'rule', 'app', 'model', 'weir', 'tokens', 'cost'];
const listeners = new Set<() => void>();

/** What a person wants to see, in their order; kept in the browser. What another version knew is left out. */
function wanted(): readonly Column[] {
  const known = keptIds().flatMap((id) => COLUMNS.find((column) => column.id === id) ?? []);
  return known.length > 0 ? [...new Set(known)] : columnsOf(DEFAULT);
}

function keptIds(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT_AS) ?? '[]');
    return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}

const columnsOf = (ids: readonly string[]): readonly Column[] =>
  ids.flatMap((id) => COLUMNS.find((column) => column.id === id) ?? []);

let now = wanted();

/** @param ids null: those that come with Weir */
export function setColumns(ids: readonly string[] | null): void {
  if (ids === null) localStorage.removeItem(KEPT_AS);
  else localStorage.setItem(KEPT_AS, JSON.stringify(ids));
  now = wanted();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useColumns = (): readonly Column[] => useSyncExternalStore(subscribe, () => now);

const GAP_PX = 16;
const EDGE_PX = 24;

/** What the grid is laid out by. */
export function gridOf(columns: readonly Column[]): { readonly template: string; readonly minPx: number } {
  // Something takes what is left, so that rows reach the edge.
  const stretched = columns.some(({ share }) => share !== undefined) ? columns : columns.map(lastTakesRest);
  const template = stretched.map(({ px, share }) => (share === undefined ? `${px}px` : `minmax(${px}px, ${share}fr)`));
  const minPx = columns.reduce((sum, { px }) => sum + px, 0) + (columns.length - 1) * GAP_PX + 2 * EDGE_PX;
  return { template: template.join(' '), minPx };
}

function lastTakesRest(column: Column, index: number, all: readonly Column[]): Column {
  return index === all.length - 1 ? { ...column, share: 1 } : column;
}
