/** The rows of the list, of which only visible ones are rendered; one row can be selected by keyboard or pointer. */
import { useNavigate, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import { count } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { PlacedRows } from '../parts/placed-rows.tsx';
import { idInPath } from '../shell/id-in-path.ts';
import { gridOf, type Column } from './columns.tsx';
import { GridHead } from './grid-head.tsx';
import { pressKey, useFocusByKey } from './grid-keys.ts';
import { GridRow, type Press } from './grid-row.tsx';
import { useGridScroll, type RowsAbove } from './grid-scroll.ts';
import { useColumns } from './stored-columns.ts';
import { rememberList, searchOfCall } from './neighbours.ts';
import type { Selection } from './selection.tsx';
import type { ListedEvent } from './use-events.ts';

interface GridProps {
  readonly rows: readonly ListedEvent[];
  /** Ids of the events that arrived live. */
  readonly fresh: ReadonlySet<string>;
  /** The rows belong to the filters selected before. */
  readonly isStale: boolean;
  /** The list is loaded again. */
  readonly isBusy: boolean;
  readonly hasMore: boolean;
  readonly more: () => void;
  readonly showEnvironment: boolean;
  readonly selection: Selection;
  /** Called when the user leaves the top of the list or returns to it. */
  readonly scrolled: (isScrolled: boolean) => void;
}

const Peek = lazy(() => import('./peek.tsx'));

export function EventGrid(props: GridProps): ReactNode {
  const { rows, fresh, isStale, isBusy, hasMore, more, showEnvironment, selection, scrolled } = props;
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useRowOfLeftCall(rows);
  const [isPeeking, setPeeking] = useState(false);
  const columns = useColumns();
  useColumnWidths(box, columns);
  const { heightPx, items, scrollTo, unseen } = useGridScroll(box, { rows, hasMore, more, scrolled, at, setAt });
  const open = useOpenCall(rows);
  const point = usePointer(open, setAt, selection.pickTo);
  useFocusByKey(box);
  const keyed = { at, setAt, count: rows.length, scrollTo, open, isPeeking, setPeeking, selection };
  const isDrawn = items.some(({ index }) => index === at);
  const leavePeek = (): void => {
    setPeeking(false);
    box.current?.focus();
  };
  return (
    <div className={`grid-frame${isBusy ? ' busy' : ''}${hasMore ? ' has-more' : ''}`}>
      <Newer {...unseen} />
      <div
        ref={box}
        className={`grid${isStale ? ' stale' : ''}`}
        role="grid"
        aria-label="Events"
        aria-multiselectable
        aria-rowcount={hasMore ? -1 : rows.length + 1}
        aria-colcount={columns.length}
        tabIndex={0}
        aria-activedescendant={isDrawn ? `row-${at}` : undefined}
        onKeyDown={(event) => pressKey(event, keyed)}
      >
        <GridHead columns={columns} />
        <PlacedRows
          heightPx={heightPx}
          items={items}
          count={rows.length}
          row={(index) => (
            <GridRow
              row={rows[index]!}
              index={index}
              isAt={index === at}
              isPicked={selection.picked.has(rows[index]!.id)}
              isFresh={fresh.has(rows[index]!.id)}
              columns={columns}
              showEnvironment={showEnvironment}
              point={point}
            />
          )}
        />
      </div>
      {isPeeking && <PeekAt row={rows[at]} open={() => open(at)} close={leavePeek} />}
    </div>
  );
}

interface PeekAtProps {
  /** undefined: there is nothing to preview. */
  readonly row: ListedEvent | undefined;
  readonly open: () => void;
  readonly close: () => void;
}

/** The preview of the row that keys act on. */
function PeekAt({ row, open, close }: PeekAtProps): ReactNode {
  if (row === undefined) return null;
  return (
    <Suspense fallback={null}>
      <Peek row={row} open={open} close={close} />
    </Suspense>
  );
}

/** The row that keys act on: at first that of the call from whose page a person returns to the list, otherwise none. */
function useRowOfLeftCall(rows: GridProps['rows']) {
  const { state } = useRouter();
  return useState(() => {
    // For the router, the page before is the resolved one until the list is rendered.
    const path = state.resolvedLocation?.pathname ?? '';
    const left = path.startsWith('/events/') ? idInPath(path) : undefined;
    return left === undefined ? -1 : rows.findIndex(({ id, event_id: own }) => id === left || own === left);
  });
}

/** Returns a function that opens the call of a row, in this tab or in a new one. It is the same function for other rows. */
function useOpenCall(rows: GridProps['rows']): (index: number, isInNewTab?: boolean) => void {
  const navigate = useNavigate();
  const router = useRouter();
  // A ref, so that the function stays the same and unchanged rows are not rendered again while scrolling.
  const listed = useRef(rows);
  listed.current = rows;
  return useCallback(
    (index: number, isInNewTab = false): void => {
      const row = listed.current[index];
      if (row === undefined) return;
      const target = { to: '/events/$id', params: { id: row.id }, search: searchOfCall(row.app.id) as never } as const;
      if (isInNewTab) {
        window.open(router.buildLocation(target).href, '_blank', 'noopener');
        return;
      }
      rememberList(listed.current.map(({ id, app }) => ({ id, app: app.id })));
      void navigate(target);
    },
    [navigate, router],
  );
}

/** Returns a function that does what a press of the pointer on a row asks for. It is the same function for other rows. */
function usePointer(
  open: (index: number, isInNewTab: boolean) => void,
  setAt: (index: number) => void,
  pickTo: (index: number) => void,
): (index: number, press: Press) => void {
  return useCallback(
    (index: number, press: Press): void => {
      if (press !== 'select') return open(index, press === 'new tab');
      setAt(index);
      pickTo(index);
    },
    [open, setAt, pickTo],
  );
}

function Newer({ above, show }: RowsAbove): ReactNode {
  if (above === 0) return null;
  return (
    <button type="button" className="button newer" onClick={show}>
      {count(above)} new {above === 1 ? 'event' : 'events'}
      <Icon name="up" />
    </button>
  );
}

function useColumnWidths(box: RefObject<HTMLDivElement | null>, columns: readonly Column[]): void {
  useLayoutEffect(() => {
    const { template, minPx } = gridOf(columns);
    box.current?.style.setProperty('--columns', template);
    box.current?.style.setProperty('--columns-min', `${minPx}px`);
  }, [box, columns]);
}
