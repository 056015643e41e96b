/** The rows, of which only those in sight are drawn; one row is chosen, by keys as by pointer. */
import { useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { duration, money, tableTime } from '../parts/format.ts';
import { OutcomeBadge, outcomeOf, strongestFirst } from '../parts/outcome.tsx';
import { visible } from '../parts/text.tsx';
import { isTyping, singleKeysOn } from '../shell/keys.ts';
import { useDensity } from '../shell/look.ts';
import { rememberList } from './neighbours.ts';
import type { ListedEvent } from './use-events.ts';

interface GridProps {
  readonly rows: readonly ListedEvent[];
  /** Those that came in while somebody watched. */
  readonly fresh: ReadonlySet<string>;
  readonly isStale: boolean;
  readonly hasMore: boolean;
  readonly more: () => void;
  readonly showEnvironment: boolean;
}

const ROW_PX: Readonly<Record<string, number>> = { compact: 28, regular: 32, comfortable: 40 };
const NARROW_ROW_PX = 56;
const narrow = window.matchMedia('(max-width: 720px)');
const COLUMNS = ['Time', 'Outcome', 'Rule', 'App', 'Model', 'Weir', 'Tokens', 'Cost'] as const;
const NUMBERS = new Set(['Weir', 'Tokens', 'Cost']);

export function EventGrid({ rows, fresh, isStale, hasMore, more, showEnvironment }: GridProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(-1);
  const navigate = useNavigate();
  const density = useDensity();
  const rowPx = narrow.matches ? NARROW_ROW_PX : (ROW_PX[density] ?? 32);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowPx,
    overscan: 12,
    getItemKey: (index) => rows[index]?.id ?? index,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last >= rows.length - 30) more();
  }, [hasMore, last, rows.length, more]);
  useEffect(() => virtual.measure(), [rowPx, virtual]);
  const open = (index: number): void => {
    const row = rows[index];
    if (row === undefined) return;
    rememberList(rows.map(({ id, app }) => ({ id, app: app.id })));
    void navigate({ to: '/events/$id', params: { id: row.id }, search: ((before: object) => before) as never });
  };
  const move = (step: number): void => {
    const next = Math.min(Math.max(0, at + step), rows.length - 1);
    setAt(next);
    virtual.scrollToIndex(next);
  };
  const press = (event: KeyboardEvent): void => {
    if (isTyping(event.target) || event.metaKey || event.ctrlKey) return;
    const isLetter = event.key.length === 1;
    if (isLetter && !singleKeysOn()) return;
    const step = {
      j: 1,
      k: -1,
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: 20,
      PageUp: -20,
      Home: -rows.length,
      End: rows.length,
    }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      move(step);
    } else if (event.key === 'Enter') open(Math.max(0, at));
  };
  useEffect(() => {
    const focus = (event: globalThis.KeyboardEvent): void => {
      if (
        (event.key === 'j' || event.key === 'k') &&
        !isTyping(event.target) &&
        document.activeElement !== box.current &&
        singleKeysOn()
      )
        box.current?.focus();
    };
    window.addEventListener('keydown', focus);
    return () => window.removeEventListener('keydown', focus);
  }, []);
  const isDrawn = items.some(({ index }) => index === at);
  return (
    <div
      ref={box}
      className={`grid${isStale ? ' stale' : ''}`}
      role="grid"
      aria-label="Events"
      aria-rowcount={hasMore ? -1 : rows.length + 1}
      aria-colcount={COLUMNS.length}
      tabIndex={0}
      aria-activedescendant={isDrawn ? `row-${at}` : undefined}
      onKeyDown={press}
    >
      <div className="grid-row head" role="row" aria-rowindex={1}>
        {COLUMNS.map((column) => (
          <span key={column} role="columnheader" className={NUMBERS.has(column) ? 'num' : ''}>
            {column}
          </span>
        ))}
      </div>
      <div
        role="presentation"
        className="grid-body"
        ref={(element) => element?.style.setProperty('height', `${virtual.getTotalSize()}px`)}
      >
        {items.map(({ key, index, start, size }) => (
          <div
            key={key}
            role="presentation"
            className="grid-place"
            ref={(element) => {
              element?.style.setProperty('transform', `translateY(${start}px)`);
              element?.style.setProperty('height', `${size}px`);
            }}
          >
            <Row
              row={rows[index]!}
              index={index}
              isAt={index === at}
              isFresh={fresh.has(rows[index]!.id)}
              showEnvironment={showEnvironment}
              open={open}
            />
          </div>
        ))}
      </div>
    </div>
  );
}

interface RowProps {
  readonly row: ListedEvent;
  readonly index: number;
  readonly isAt: boolean;
  readonly isFresh: boolean;
  readonly showEnvironment: boolean;
  readonly open: (index: number) => void;
}

const Row = memo(
  function Row({ row, index, isAt, isFresh, showEnvironment, open }: RowProps): ReactNode {
    const rules = strongestFirst(row.violations);
    const outcome = outcomeOf(row);
    const wouldBe = outcome === 'allowed' ? rules.find(({ enforced }) => !enforced) : undefined;
    const tokens = row.usage === null ? null : (row.usage.prompt_tokens ?? 0) + (row.usage.completion_tokens ?? 0);
    const app = visible(row.app.name ?? row.app.id);
    return (
      <div
        id={`row-${index}`}
        role="row"
        aria-rowindex={index + 2}
        aria-selected={isAt}
        className={`grid-row${isFresh ? ' fresh' : ''}`}
        onClick={() => open(index)}
      >
        <span role="gridcell" className="g-time tab-nums dim">
          <time dateTime={row.received_at} title={row.received_at}>
            {tableTime(row.received_at)}
          </time>
        </span>
        <span role="gridcell" className="g-outcome">
          <OutcomeBadge outcome={outcome} />
        </span>
        <span
          role="gridcell"
          className="g-rule cut"
          title={[...rules.map(({ rule }) => rule), visible(row.excerpt ?? '')].filter(Boolean).join(', ')}
        >
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
        </span>
        <span role="gridcell" className="g-app cut" title={app}>
          <bdi dir="auto">{app}</bdi>
          {showEnvironment && <span className="dim"> · {row.environment}</span>}
        </span>
        <span role="gridcell" className="g-model cut dim" title={row.model ?? ''}>
          {row.model === null ? '' : visible(row.model)}
        </span>
        <span role="gridcell" className="g-weir num dim">
          {duration(row.latency_ms.weir)}
        </span>
        <span role="gridcell" className="g-tokens num">
          {tokens === null ? <span className="dim">–</span> : tokens.toLocaleString()}
        </span>
        <span role="gridcell" className="g-cost num">
          {row.cost_nano_usd === null ? <span className="dim">–</span> : money(row.cost_nano_usd, 5)}
        </span>
      </div>
    );
  },
  (before, after) =>
    before.row === after.row &&
    before.isAt === after.isAt &&
    before.index === after.index &&
    before.isFresh === after.isFresh &&
    before.open === after.open,
);
